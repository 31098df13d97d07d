/** Texts for durations, such as `2 min 5 s`, and for the lease times that a user can choose. */
export const durationTexts = {
  now: 'just now',
  soon: 'in a moment',
  ago: (distance: string) => `${distance} ago`,
  ahead: (distance: string) => `in ${distance}`,
  whole: {
    minutes: (minutes: number) => `${minutes} min`,
    hours: (hours: number) => `${hours} h`,
    days: (days: number) => (days === 1 ? '1 day' : `${days} days`),
  },
  seconds: (seconds: number) => `${seconds} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  /** Choices for the time of a lease. The keys are minutes. */
  leases: {
    15: '15 minutes',
    30: '30 minutes',
    60: '1 hour',
    120: '2 hours',
    240: '4 hours',
    480: '8 hours',
  },
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
};

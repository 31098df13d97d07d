/** Texts for durations. */
export const durationTexts = {
  seconds: (seconds: number) => `${seconds} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
};

/** @returns a count with its noun for a message, such as `1 session` and `2 sessions` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

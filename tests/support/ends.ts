/** Functions that end servers and other resources of a test file. A module that starts such a resource adds one. */
export const ends: (() => unknown)[] = [];

/** Somebody pressed Ctrl-C. What is to be said of it has been said. */
export class InterruptedError extends Error {}

/** What was asked for is not in what the server answered with. */
export class NotFoundError extends Error {}

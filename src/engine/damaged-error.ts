/** A part of the data directory is not what paysim wrote. This is found when somebody asks for that part. */
export class DamagedError extends Error {
  constructor(where: string, why: string) {
    super(`${where} is damaged: ${why}; restore the account's folder from a backup`)
    this.name = 'DamagedError'
  }
}

/** The message of anything that was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A part of the data directory is not what paysim wrote. It shows when somebody asks for that part. */
export class DamagedError extends Error {
  constructor(where: string, why: string) {
    super(`${where} is damaged: ${why}. Restore the account's folder from a copy`)
    this.name = 'DamagedError'
  }
}

/** The words of whatever was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Which process holds an account, where several serve one store. */
export interface Holders {
  /** This process's name among them. */
  readonly node: string
  /** What the processes of a cluster show each other. */
  readonly secret: string
  /**
   * Where the account is held: here (undefined), or the address of the process that holds it. Takes it over if nobody
   * does; waits while another's lease runs out, until the signal ends that.
   */
  whoHolds(account: string, signal: AbortSignal): Promise<string | undefined>
  /** Whether this process may answer for the account without asking anybody: its lease has not run out. */
  mayAnswer(account: string): boolean
}

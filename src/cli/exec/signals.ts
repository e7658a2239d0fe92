import { constants } from 'node:os'

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
export type StopSignal = (typeof STOPPING)[number]

/** The signals that this process receives. The first one is kept until somebody listens. */
export class Signals {
  #listener: ((name: NodeJS.Signals) => void) | undefined
  /** The first one that came while nobody listened. */
  missed: StopSignal | undefined

  constructor() {
    for (const name of STOPPING)
      process.on(name, () => {
        if (this.#listener) this.#listener(name)
        else this.missed ??= name
      })
    if (process.platform === 'win32') return
    // The command leads its own process group, so the terminal signals only this process.
    process.on('SIGWINCH', () => this.#listener?.('SIGWINCH'))
    process.on('SIGCONT', () => this.#listener?.('SIGCONT'))
    process.on('SIGTSTP', () => {
      this.#listener?.('SIGSTOP')
      process.kill(process.pid, 'SIGSTOP')
    })
  }

  listen(listener: (name: NodeJS.Signals) => void): void {
    this.#listener = listener
  }
}

/** The exit status that a shell gives a command which a signal ended. */
export const statusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

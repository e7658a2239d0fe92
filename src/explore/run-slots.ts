/** A run without traffic for this long counts as waiting, such as for the pause before a retry. */
const RESTS_AFTER_MS = 20
/** How long a run without traffic counts as working at its start, when its process is being started. */
const STARTS_WITHIN_MS = 1000
/** How many runs may only wait at a time, because each of them may need a process of its own. */
const MOST_WAITING = 8
/**
 * How many runs are under way for each job: `usual` while another run works, and `most` while all of them only wait.
 * Processes that serve several runs are few, because the start and the first requests of a process take as much
 * processor time as several runs. But if all of them wait for a Retry-After, it pays to start another one.
 */
const PER_JOB = { own: { usual: 4, most: 4 }, shared: { usual: 2, most: 5 } } as const

/** The slot of one run. */
export interface RunSlot {
  /** Call it when the run does something. */
  noteActivity(): void
  end(): void
}

/**
 * Lets as many runs work at a time as there are jobs. A run that only waits makes room for another one, because most of
 * the wall time of a disturbed call is the pause before the application repeats it. One job means one run at a time.
 */
export class RunSlots {
  /** How many runs may be under way, working or waiting. */
  readonly most: number
  readonly #usual: number
  #working = 0
  #underWay = 0
  readonly #next: (() => void)[] = []

  constructor(
    private readonly jobs: number,
    processes: keyof typeof PER_JOB = 'own',
  ) {
    const limit = (perJob: number) => (jobs === 1 ? 1 : Math.min(perJob * jobs, jobs + MOST_WAITING))
    this.#usual = limit(PER_JOB[processes].usual)
    this.most = limit(PER_JOB[processes].most)
  }

  get #hasRoom(): boolean {
    const limit = this.#working === 0 ? this.most : this.#usual
    return this.#working < this.jobs && this.#underWay < limit
  }

  async take(): Promise<RunSlot> {
    while (!this.#hasRoom) await new Promise<void>(resolve => this.#next.push(resolve))
    this.#working += 1
    this.#underWay += 1
    return this.#slot()
  }

  #slot(): RunSlot {
    let isWorking = true
    const rest = () => {
      if (!isWorking) return
      isWorking = false
      this.#working -= 1
      this.#next.shift()?.()
    }
    let timer = setTimeout(rest, STARTS_WITHIN_MS)
    let hasStarted = false
    let hasEnded = false
    return {
      noteActivity: () => {
        // An application that serves several runs may go on with its own work between two of them.
        if (hasEnded) return
        if (!hasStarted) {
          hasStarted = true
          clearTimeout(timer)
          timer = setTimeout(rest, RESTS_AFTER_MS)
        } else timer.refresh()
        if (isWorking) return
        isWorking = true
        this.#working += 1
      },
      end: () => {
        clearTimeout(timer)
        hasEnded = true
        this.#underWay -= 1
        if (isWorking) rest()
        else this.#next.shift()?.()
      },
    }
  }
}

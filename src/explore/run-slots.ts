/** A run without traffic for this long counts as waiting, such as for the pause before a retry. */
const RESTS_AFTER_MS = 20
/** How long a run without traffic counts as working at its start, when its process is being started. */
const STARTS_WITHIN_MS = 1000
/** How many runs may only wait at a time, because each of them may need a process of its own. */
const MOST_WAITING = 8
/** How many runs are under way for each job, working or waiting: processes that serve several runs need not be started anew. */
const PER_JOB = { own: 4, shared: 5 } as const

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
  #working = 0
  #underWay = 0
  readonly #next: (() => void)[] = []

  constructor(
    private readonly jobs: number,
    processes: keyof typeof PER_JOB = 'own',
  ) {
    this.most = jobs === 1 ? 1 : Math.min(PER_JOB[processes] * jobs, jobs + MOST_WAITING)
  }

  /** How many of these may be runs with a long pause. The others go on beside them, and one of these may wait, too. */
  get mostPausing(): number {
    return Math.max(1, this.most - this.jobs - 1)
  }

  get #hasRoom(): boolean {
    return this.#working < this.jobs && this.#underWay < this.most
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

import type { StreamChange } from '../../contract/control/journal.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'

/** How long changes are collected before they are sent. */
const GATHERING_MS = 100
/** With more changed records than this, the ids are left out. */
const MOST_NAMED = 200

/** A stream that reports that something changed, not what: at most ten times a second. */
export class Changes {
  readonly #about = new Set<string>()
  readonly #records = new Set<string>()
  #seq = 0
  #requests = 0
  #waiting = false

  constructor(private readonly tell: (change: StreamChange) => void) {}

  entry({ seq, events }: Entry): void {
    this.#seq = seq
    for (const event of events) {
      this.#about.add(subjectOf(event))
      if (this.#records.size > MOST_NAMED) continue
      if ('payment' in event) this.#records.add(event.payment)
      else if ('payout' in event) this.#records.add(event.payout)
    }
    this.#scheduleSend()
  }

  clock(): void {
    this.#about.add('clock')
    this.#scheduleSend()
  }

  request(): void {
    this.#requests++
    this.#scheduleSend()
  }

  #scheduleSend(): void {
    if (this.#waiting) return
    this.#waiting = true
    setTimeout(() => {
      const records = this.#records.size > MOST_NAMED ? null : [...this.#records]
      this.tell({ seq: this.#seq, requests: this.#requests, about: [...this.#about], records })
      this.#about.clear()
      this.#records.clear()
      this.#requests = 0
      this.#waiting = false
    }, GATHERING_MS)
  }
}

function subjectOf(event: DomainEvent): string {
  if ('payment' in event) return 'payments'
  if ('payout' in event) return 'payouts'
  switch (event.type) {
    case 'TimerSet':
    case 'TimerFired':
      return 'timers'
    case 'ClockSet':
      return 'clock'
    case 'EventEmitted':
    case 'EndpointAdded':
    case 'EndpointSecretsSet':
    case 'EndpointDisabled':
    case 'EndpointRemoved':
    case 'DeliveryQueued':
    case 'DeliveryMoved':
    case 'AttemptStarted':
    case 'AttemptEnded':
      return 'webhooks'
    case 'RulesReplaced':
    case 'RulesPutInFront':
    case 'RulesConsulted':
    case 'FaultsReplaced':
    case 'FaultsCounted':
      return 'script'
    case 'CatalogueReplaced':
    case 'ProviderHealthSet':
      return 'catalogue'
    case 'AssetStored':
    case 'AnswerKept':
      return 'books'
  }
}

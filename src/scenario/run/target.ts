import type { Receiver } from './receiver.ts'
import type { Wire } from './wire.ts'

/** Where the story plays: a simulator under our control, or a base URL that is what it is. */
export type Target =
  | {
      readonly kind: 'simulator'
      readonly baseUrl: string
      readonly controlUrl: string
      readonly controlToken: string
      readonly receiver: Receiver
      /** Merchants that were made and not removed yet. */
      readonly merchants: Set<string>
      readonly createPath: string
      readonly wire: Wire
    }
  | {
      readonly kind: 'base'
      readonly baseUrl: string
      readonly publicKey: string
      readonly secretKey: string
      readonly createPath: string
      readonly wire: Wire
    }
export type SimulatorTarget = Extract<Target, { kind: 'simulator' }>

export interface Keys {
  readonly public_key: string
  readonly secret_key: string
}

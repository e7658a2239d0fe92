import type { Gateway } from '../../engine/gateway.ts'
import type { WebhookHosts } from '../../engine/webhook-hosts.ts'
import type { SignInLinks } from '../dashboard/sign-in-links.ts'
import type { FaultBoxes } from '../fault-box.ts'
import type { RequestLog } from '../request-log.ts'

/** What the calls of the control surface work on. */
export interface ControlSettings {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly faultBoxes: FaultBoxes
  readonly controlToken: string
  readonly signInLinks: SignInLinks
  readonly webhookHosts: WebhookHosts
  /** Where the merchant API is, for a client on this machine. */
  readonly merchantUrl: () => string
  /** What the listener has on which these calls are. */
  readonly surfaces: { readonly merchant: boolean }
}

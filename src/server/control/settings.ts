import type { Gateway } from '../../engine/gateway.ts'
import type { WebhookHosts } from '../../engine/webhook-hosts.ts'
import type { WebhookAnswer } from '../../engine/webhook-sender.ts'
import type { Forwarder } from '../cluster/forwarder.ts'
import type { SignInLinks } from '../dashboard/sign-in-links.ts'
import type { FaultBoxes } from '../fault-box.ts'
import type { EventStreams } from '../http/event-stream.ts'
import type { RequestLog } from '../request-log.ts'

/** What the calls of the control surface use. */
export interface ControlSettings {
  readonly gateway: Gateway
  readonly requests: RequestLog
  readonly streams: EventStreams
  readonly faultBoxes: FaultBoxes
  readonly controlToken: string
  readonly signInLinks: SignInLinks
  readonly webhookHosts: WebhookHosts
  /** Opens a page of an application, as the payer's browser does. */
  readonly visit: (url: string) => Promise<Pick<WebhookAnswer, 'status' | 'location'>>
  /** The URL of the merchant API for clients on this machine. */
  readonly merchantUrl: () => string
  /** What links begin with behind a balancer or a tunnel. */
  readonly publicUrl?: string | undefined
  /** Where several processes serve one store. */
  readonly forwarder?: Pick<Forwarder, 'holders'> | undefined
  /** The connections of the listener that serves these calls. */
  readonly surfaces: { readonly merchant: boolean }
}

/** What a program is told of the simulator that it calls. */
export interface Simulator {
  readonly url: string
  readonly controlUrl: string
  readonly account: string
  readonly publicKey: string
  readonly secretKey: string
  readonly token: string
  /** A small image. */
  readonly slip: Blob
}

export const basic = ({ publicKey, secretKey }: Simulator) => `Basic ${btoa(`${publicKey}:${secretKey}`)}`

export const MONEY = { amount: '150000', currency: 'THB', country: 'TH' } as const

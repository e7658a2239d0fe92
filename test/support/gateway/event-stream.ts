import { onTestFinished } from 'vitest'
import type { Account, Json } from './merchant.ts'
import type { Server } from './server.ts'

interface StreamReader {
  contentType: string | null
  /** Resolves with the first past or future message that matches. */
  until: (wanted: (message: Json) => boolean) => Promise<Json>
  messages: Json[]
}

/** Reads the account's server-sent events until the end of the test. */
export async function openStream(
  server: Server,
  account: Account,
  query = '',
  headers: Record<string, string> = {},
): Promise<StreamReader> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await fetch(`${server.controlUrl}/accounts/${account.id}/stream${query}`, {
    headers: { authorization: `Bearer ${server.controlToken}`, ...headers },
    signal: leaving.signal,
  })
  const messages: Json[] = []
  const waiting: { wanted: (message: Json) => boolean; resolve: (message: Json) => void }[] = []
  const take = (message: Json) => {
    messages.push(message)
    for (const { wanted, resolve } of waiting) if (wanted(message)) resolve(message)
  }
  const pump = async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = block.split('\n').flatMap(line => (line.startsWith('data:') ? [line.slice(5)] : []))
        if (data.length > 0) take(JSON.parse(data.join('\n')))
      }
    }
  }
  pump().catch(() => {})
  return {
    contentType: response.headers.get('content-type'),
    messages,
    until: wanted => {
      const past = messages.find(wanted)
      return past ? Promise.resolve(past) : new Promise(resolve => waiting.push({ wanted, resolve }))
    },
  }
}

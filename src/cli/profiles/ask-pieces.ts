import type { Keys } from '../../client/credentials.ts'
import { ask } from '../prompts/ask.ts'
import { checkBaseUrl } from './new-profile.ts'

/** What a profile is made of, as somebody types it. */

export const askBaseUrl = async (): Promise<string> =>
  (
    await ask.text({ message: 'Base URL of the API:', check: text => complaint(() => checkBaseUrl(text)) })
  ).trim()

/** Both unseen, or a screen that others see would have a key that was typed into the wrong place. */
export async function askKeys(): Promise<Keys> {
  const publicKey = await ask.secret({
    message: 'Public key (pk_…):',
    check: key =>
      wanted(key) ??
      (key.startsWith('sk_') ? 'this is the secret key: the public one goes first' : undefined),
  })
  const secretKey = await ask.secret({
    message: 'Secret key (sk_…):',
    check: key => wanted(key) ?? (key.startsWith('pk_') ? 'this is the public key' : undefined),
  })
  return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
}

const wanted = (key: string) =>
  key === '' ? 'it is needed' : /\s/.test(key) ? 'there is no blank in a key' : undefined

function complaint(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

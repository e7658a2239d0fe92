import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto'
import type { Environment } from '../../contract/statuses.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import type { KeyPair, MerchantRecord } from '../store/merchant-record.ts'
import { firstSeed, IdSource } from './ids.ts'

/**
 * What an export must not give away. Keys, webhook secrets and signatures follow from a secret that stays with the list
 * of merchants, while ids and random choices follow from a seed that travels with the history. Who reads an export
 * cannot derive the one from the other.
 */

/** A seed that was given is also the secret, so that everything repeats. */
export const secretOf = ({ seed, secret = seed }: { readonly seed: string; readonly secret?: string }) =>
  secret

/** The next pair of keys of an account. */
export function newKeysOf(merchant: MerchantRecord, environment: Environment): KeyPair {
  const record = merchant.accounts[environment]
  return new IdSource(secretOf(record)).newKeyPair(environment, record.keysMade)
}

/** The seed that an export has: one from which keys follow is replaced by another that follows from it. */
export const shownSeed = (secret: string, seed: string): string =>
  firstSeed(seed) === secret ? shownFor(secret) + seed.slice(secret.length) : seed

const shownFor = (secret: string) => hash('sha256', `shown:${secret}`, 'base64url')

interface Sources {
  readonly secret: () => string
  readonly seed: string
}

/** Returns the source of secrets and signatures. A history has its own ones, and they come back with it. */
export function ownSource(): (sources: Sources) => IdSource {
  let latest: { readonly secret: string; readonly seed: string; readonly source: IdSource } | undefined
  return ({ secret: secretNow, seed: drawn }) => {
    const secret = secretNow()
    // What was signed stays valid when the seed of the ids is drawn anew.
    const seed = firstSeed(drawn)
    if (latest?.secret !== secret || latest.seed !== seed) {
      // An account that was exported and imported again goes on as before.
      const isItsOwn = seed === secret || seed === shownFor(secret)
      latest = { secret, seed, source: new IdSource(isItsOwn ? secret : `${secret}/${seed}`) }
    }
    return latest.source
  }
}

const SEALED = 'sealed_'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const sealingKey = (secret: string) => hash('sha256', `seal:${secret}`, 'buffer')

/** An entry for an export: only the account that it comes from can open the secrets of its endpoints. */
export const sealed = (entry: Entry, secret: string) =>
  withEndpointSecrets(entry, text => sealSecret(text, secret))

/** An entry of an import. For a secret that another account has sealed, this account has one of its own. */
export const unsealed = (entry: Entry, secret: string) =>
  withEndpointSecrets(entry, text => openSecret(text, secret))

function sealSecret(text: string, secret: string): string {
  const key = sealingKey(secret)
  // From the text, so that the same account gives the same export, and different texts never share one.
  const nonce = createHmac('sha256', key).update(text).digest().subarray(0, NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${SEALED}${Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url')}`
}

function openSecret(text: string, secret: string): string {
  // Who wrote an export by hand may give one in plain text.
  if (!text.startsWith(SEALED)) return text
  const key = sealingKey(secret)
  const sealed = Buffer.from(text.slice(SEALED.length), 'base64url')
  try {
    const opening = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
    opening.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    return opening.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + opening.final('utf8')
  } catch {
    return `whsec_${createHmac('sha256', key).update(text).digest().subarray(0, 24).toString('base64')}`
  }
}

/** The entry with each secret of its endpoints changed by this. */
function withEndpointSecrets(entry: Entry, change: (secret: string) => string): Entry {
  if (!entry.events.some(hasSecret)) return entry
  return { ...entry, events: entry.events.map(event => eventWithSecrets(event, change)) }
}

const hasSecret = ({ type }: DomainEvent) => type === 'EndpointAdded' || type === 'EndpointSecretsSet'

function eventWithSecrets(event: DomainEvent, change: (secret: string) => string): DomainEvent {
  if (event.type === 'EndpointAdded') return { ...event, secret: change(event.secret) }
  if (event.type !== 'EndpointSecretsSet') return event
  return {
    ...event,
    secrets: event.secrets.map(each => ({ ...each, secret: change(each.secret) })),
  }
}

import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Entry } from '../../domain/events.ts'
import type { Gateway } from '../../engine/gateway.ts'
import type { Tenant } from '../../engine/tenant.ts'
import { Unavailable } from '../../engine/unavailable.ts'
import { demandAvailable } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { refuseFaults } from '../refusal.ts'
import { bodyReader, send, tenantNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

/** An account as one JSON document: its journal, which is all it is, and the images that the journal names. */
const Archive = Type.Object({
  paysim: Type.Literal(1),
  account: Type.String(),
  /** What names are made from: page addresses and cursors given out before keep their meaning. */
  seed: Type.String({ minLength: 1 }),
  entries: Type.Array(
    Type.Object({
      v: Type.Literal(1),
      seq: Type.Integer({ minimum: 1 }),
      at: Type.Integer(),
      by: Type.String(),
      events: Type.Array(Type.Object({ type: Type.String() })),
    }),
  ),
  images: Type.Record(Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.String()),
})

/** A whole account is larger than any request of a merchant. */
const readArchive = bodyReader<Static<typeof Archive>>(Archive, { cap: 512 * 1024 * 1024 })

export function archiveCalls(scope: Routes, { gateway, requests }: ControlSettings): void {
  scope.get('/accounts/:account/export', async (request, reply) =>
    send(reply, 200, await archiveOf(gateway, tenantNamed(gateway, request))),
  )

  scope.put('/accounts/:account/import', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const { account: name, seed, entries, images } = await readArchive(request)
    const { environment } = tenant.account
    if (!name.endsWith(`.${environment}`))
      throw refuseFaults([
        { field: 'account', message: `is of another environment than ${environment}: ${name}` },
      ])
    entries.forEach(({ seq }, at) => {
      if (seq !== at + 1) throw refuseFaults([{ field: `entries.${at}.seq`, message: `must be ${at + 1}` }])
    })
    await demandAvailable(tenant)
    await tenant.courier.idle()
    for (const [digest, text] of Object.entries(images))
      await tenant.images.put(digest, Buffer.from(text, 'base64'))
    try {
      await gateway.adopt(tenant, seed, entries as unknown as Entry[])
    } catch (cause) {
      if (!(cause instanceof Error) || cause instanceof Unavailable) throw cause
      throw refuseFaults([{ field: 'entries', message: `do not add up: ${cause.message}` }])
    }
    return send(reply, 200, { account: tenant.account.id, entries: entries.length })
  })

  scope.post('/accounts/:account/reset', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    await demandAvailable(tenant)
    await tenant.courier.idle()
    await gateway.reset(tenant)
    requests.forget(tenant.account.id)
    return send(reply, 200, { account: tenant.account.id })
  })
}

async function archiveOf(gateway: Gateway, tenant: Tenant) {
  const { account, images } = tenant
  const entries: unknown[] = []
  const digests = new Set<string>()
  for await (const line of account.journal.lines()) {
    const { crc: _, ...entry } = JSON.parse(line) as Entry & { crc: string }
    entries.push(entry)
    for (const event of entry.events) if ('digest' in event) digests.add(event.digest)
  }
  const stored: Record<string, string> = {}
  for (const digest of digests) {
    const bytes = await images.get(digest)
    if (bytes) stored[digest] = bytes.toString('base64')
  }
  return { paysim: 1, account: account.id, seed: gateway.seedOf(tenant), entries, images: stored }
}

import { describe, expect, onTestFinished, test } from 'vitest'
import { startCluster } from '../support/cluster/cluster.ts'
import { driverOf, type Server } from '../support/gateway/server.ts'
import { imageForm } from '../support/payments/images.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** Another process takes the account after a decision, and before its entry is written. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`Writes that come too late are not tested here: ${reason}`)

const PAYMENT = paying('th_bank_transfer')

/** The callers of one process alone. */
const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

async function begin() {
  const postgres = await workerPostgres()
  const store = await postgres.newDatabase()
  const { server, nodes } = await startCluster({ store, nodes: 3 })
  onTestFinished(() => server.kill())
  const [holder, heir, other] = nodes
  if (!holder || !heir || !other) throw new Error('three processes')
  const database = new URL(store).pathname.slice(1)
  const ask = (sql: string) => postgres.query(database, `SET search_path = paysim; ${sql}`)
  const merchant = await at(holder).merchant({ clock: { mode: 'virtual' } })
  /**
   * Makes the call at one process. Before the holder's next entry is written, another process has the merchant: the
   * transaction in which it gets it ends when the holder's statement waits for it.
   */
  const between = async <T>(from: Server, to: Server, call: () => Promise<T>): Promise<T> => {
    const id = await ask(`SELECT id FROM processes WHERE address = '${to.listen}' AND NOT ended`)
    const taken = ask(`SET statement_timeout = '50s';
      DO $$ BEGIN
        UPDATE accounts SET epoch = epoch + 1, writer = ${id} WHERE merchant = '${merchant.id}';
        UPDATE holdings SET holder = ${id}, term = term + 1 WHERE merchant = '${merchant.id}';
        LOOP
          PERFORM pg_stat_clear_snapshot();
          EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid)));
          PERFORM pg_sleep(0.02);
        END LOOP;
      END $$`)
    await expect
      .poll(() =>
        ask(`SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%LOOP%' AND wait_event = 'PgSleep'`),
      )
      .toBe('1')
    const [answer] = await Promise.all([call(), taken])
    expect(
      await ask(
        `SELECT p.address FROM holdings h JOIN processes p ON p.id = h.holder WHERE h.merchant = '${merchant.id}'`,
      ),
    ).not.toBe(from.listen)
    return answer
  }
  return { holder, heir, other, merchant, between }
}

describe.skipIf(reason !== undefined)('a write of a process that has just lost the account', () => {
  test('is executed by the process that now holds it, whichever process got the call', async () => {
    const { holder, heir, other, merchant, between } = await begin()
    const call = (server: Server) => at(server).as(merchant.test)
    // Without a key: it is known that nothing was written.
    const made = await between(holder, heir, () =>
      call(holder)('POST', '/payment_intents', { body: PAYMENT }),
    )
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ amount: PAYMENT.amount })])
    // A third process got the call and forwarded it.
    const receipt = await between(heir, holder, () =>
      call(other)('POST', `/payment_intents/${made.body.id}/receipt`, {
        raw: imageForm(1),
        headers: { 'idempotency-key': 'receipt' },
      }),
    )
    expect(receipt.status).toBe(200)
    const path = `/accounts/${merchant.test.id}/webhook-endpoints`
    const endpoint = await between(holder, heir, () =>
      at(holder).control('POST', path, { body: { url: 'http://127.0.0.1:9/hooks' } }),
    )
    expect(endpoint.status).toBe(201)
    const { body } = await at(other).control('GET', `/accounts/${merchant.test.id}/payments`)
    expect(body.data).toHaveLength(1)
    expect((await at(other).control('GET', path)).body.data).toHaveLength(1)
  })
})

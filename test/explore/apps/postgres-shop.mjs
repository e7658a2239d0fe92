// A shop with Express's kind of routes, PostgreSQL, and a queue in the same database that leases its jobs, as pg-boss
// does: `own-database.sh node postgres-shop.mjs STYLE`. The lease is LEASE_S seconds, 15 minutes by default, and a job takes
// WORK_MS.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { call, isGenuine, paymentFor, serve } from './merchant.mjs'

const LEASE_S = Number(process.env.LEASE_S ?? 900)
const STYLE = process.argv[2]
const db = new pg.Pool({ max: 4 })
// The server may go before the shop does.
db.on('error', error => console.error(error.message))
process.on('SIGTERM', () => process.exit(0))

const TABLES = `
  CREATE TABLE IF NOT EXISTS orders (
    reference text PRIMARY KEY, total text NOT NULL, status text NOT NULL DEFAULT 'pending');
  CREATE TABLE IF NOT EXISTS payments (
    reference text NOT NULL REFERENCES orders, attempt int NOT NULL, id text UNIQUE, status text NOT NULL DEFAULT 'open',
    PRIMARY KEY (reference, attempt));
  CREATE TABLE IF NOT EXISTS parcels (number bigserial PRIMARY KEY, reference text NOT NULL);
  CREATE TABLE IF NOT EXISTS jobs (
    number bigserial PRIMARY KEY, event text UNIQUE, data jsonb NOT NULL, state text NOT NULL DEFAULT 'created',
    ready_at timestamptz NOT NULL DEFAULT now(), tries int NOT NULL DEFAULT 0);`

const WORK_MS = Number(process.env.WORK_MS ?? 0)
const one = async (sql, values, on = db) => (await on.query(sql, values)).rows[0]

async function inTransaction(work) {
  const on = await db.connect()
  try {
    await on.query('BEGIN')
    const result = await work(on)
    await on.query('COMMIT')
    return result
  } catch (error) {
    await on.query('ROLLBACK')
    throw error
  } finally {
    on.release()
  }
}

/** The open payment of an order, or a new one if the last was declined. */
const openPayment = ({ reference, total }) =>
  inTransaction(async on => {
    await on.query('INSERT INTO orders (reference, total) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      reference,
      total,
    ])
    const order = await one('SELECT * FROM orders WHERE reference = $1 FOR UPDATE', [reference], on)
    const last = await one(
      'SELECT * FROM payments WHERE reference = $1 ORDER BY attempt DESC LIMIT 1',
      [reference],
      on,
    )
    const isKept = last && (order.status !== 'declined' || last.status === 'open')
    if (isKept && !(STYLE === 'a-new-payment-for-each-press' && last.attempt > 1)) return last
    await on.query("UPDATE orders SET status = 'pending' WHERE reference = $1 AND status = 'declined'", [
      reference,
    ])
    return one(
      'INSERT INTO payments (reference, attempt) VALUES ($1, $2) RETURNING *',
      [reference, (last?.attempt ?? 0) + 1],
      on,
    )
  })

async function pay({ reference, body }) {
  const { total } = JSON.parse(body)
  const payment = await openPayment({ reference, total })
  const id = payment.id ?? (await requested(payment, total))
  return [201, { reference, payment: id }]
}

async function requested({ reference, attempt }, total) {
  const { id } = await call('POST', '/payment_intents', {
    key: `${reference}/${attempt}`,
    json: paymentFor({ reference, total }),
  })
  await db.query('UPDATE payments SET id = $3 WHERE reference = $1 AND attempt = $2', [
    reference,
    attempt,
    id,
  ])
  return id
}

const ENDS = { succeeded: 'paid', failed: 'declined', expired: 'declined', cancelled: 'declined' }

/** Applies how a payment ended, once: whoever sees the end first changes the order, in one transaction. */
const settle = (id, status) =>
  inTransaction(async on => {
    const end = ENDS[status]
    if (end === undefined) return
    const payment = await one(
      "UPDATE payments SET status = $2 WHERE id = $1 AND status = 'open' RETURNING *",
      [id, end],
      on,
    )
    if (!payment) return
    const order = await one(
      "UPDATE orders SET status = $2 WHERE reference = $1 AND status <> 'paid' RETURNING *",
      [payment.reference, end],
      on,
    )
    if (order && end === 'paid')
      await on.query('INSERT INTO parcels (reference) VALUES ($1)', [payment.reference])
  })

/** The bug: it looks, and then writes. */
async function settleAfterALook(id, status) {
  const payment = await one('SELECT * FROM payments WHERE id = $1', [id])
  const end = ENDS[status]
  if (end === undefined || payment?.status !== 'open') return
  await db.query('UPDATE payments SET status = $2 WHERE id = $1', [id, end])
  await db.query('UPDATE orders SET status = $2 WHERE reference = $1', [payment.reference, end])
  if (end === 'paid') await db.query('INSERT INTO parcels (reference) VALUES ($1)', [payment.reference])
}

const settled = STYLE === 'a-look-before-the-write' ? settleAfterALook : settle

/** The event and its job are stored before the answer; an event that comes again has its job already. */
async function hook({ headers, body }) {
  if (!isGenuine(headers, body)) return [400, { error: 'bad signature' }]
  const event = JSON.parse(body)
  await db.query('INSERT INTO jobs (event, data) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    event.id,
    event.data,
  ])
  return [204, {}]
}

/** A payment that is not known belongs to the attempt whose answer has not come. */
async function work({ id, merchant_reference: reference }) {
  const known = await one('SELECT id FROM payments WHERE id = $1', [id])
  if (!known) {
    const { rowCount } = await db.query(
      'UPDATE payments SET id = $1 WHERE reference = $2 AND id IS NULL AND attempt = (SELECT max(attempt) FROM payments WHERE reference = $2)',
      [id, reference],
    )
    if (rowCount === 0) return
  }
  const { status } = await call('GET', `/payment_intents/${id}`)
  await pause(WORK_MS)
  await settled(id, status)
}

/** A job that nobody finished is free again after its lease. */
const nextJob = () =>
  one(
    `UPDATE jobs SET state = 'active', tries = tries + 1, ready_at = now() + $1 * interval '1 second'
     WHERE number = (SELECT number FROM jobs WHERE state <> 'completed' AND ready_at <= now()
                     ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [LEASE_S],
  )

async function workOff() {
  for (;;) {
    const job = await nextJob()
    if (!job) {
      await pause(25)
      continue
    }
    try {
      await work(job.data)
      await db.query("UPDATE jobs SET state = 'completed' WHERE number = $1", [job.number])
    } catch (error) {
      console.error(error.message)
      await db.query(
        "UPDATE jobs SET state = 'retry', ready_at = now() + interval '0.2 second' WHERE number = $1",
        [job.number],
      )
    }
  }
}

/** The payer is back, perhaps before the event: read how the payment went. */
async function back({ reference }) {
  const last = await one('SELECT * FROM payments WHERE reference = $1 ORDER BY attempt DESC LIMIT 1', [
    reference,
  ])
  if (last?.id && last.status === 'open') {
    const answer = await call('GET', `/payment_intents/${last.id}`).catch(() => undefined)
    if (answer) await settled(last.id, answer.status)
  }
  return show({ reference })
}

async function show({ reference }) {
  const order = await one(
    `SELECT reference, status, (SELECT count(*)::int FROM parcels WHERE parcels.reference = orders.reference) AS parcels
     FROM orders WHERE reference = $1`,
    [reference],
  )
  return order ? [200, order] : [404, { error: 'no such order' }]
}

await db.query(TABLES)
void workOff()
serve({
  'POST /orders/:reference/pay': pay,
  'GET /orders/:reference/return': back,
  'GET /orders/:reference': show,
  'POST /hooks/payments': hook,
})

import { StartError } from '../store/store-errors.ts'
import type { Database } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'

/**
 * The tables, step by step. A released step never changes.
 *
 * `processes` has a row for each process that ever served; a process whose lease expired counts as ended, and its
 * number is never used again. `holdings` says which process holds a merchant. `accounts` has the epoch that each write
 * must state.
 */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  '0001-first': [
    `CREATE TABLE cluster (name text PRIMARY KEY, value text NOT NULL)`,
    `CREATE TABLE used (what text PRIMARY KEY, ends timestamptz NOT NULL)`,
    `CREATE TABLE list_end (one boolean PRIMARY KEY DEFAULT true CHECK (one), seq bigint NOT NULL)`,
    `INSERT INTO list_end (seq) VALUES (0)`,
    `CREATE TABLE list (
       name text PRIMARY KEY, seq bigint NOT NULL, since bigint NOT NULL, gone boolean NOT NULL, line text NOT NULL)`,
    `CREATE INDEX list_by_seq ON list (seq)`,
    `CREATE TABLE processes (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node text NOT NULL, address text,
       renewed_at timestamptz NOT NULL, wall_ms float8 NOT NULL, ended boolean NOT NULL DEFAULT false)`,
    `CREATE TABLE holdings (merchant text PRIMARY KEY, holder bigint, term bigint NOT NULL)`,
    `CREATE INDEX holdings_by_holder ON holdings (holder)`,
    // Leaves room for the next version of a row on its page, so that the index entry can stay.
    `CREATE TABLE accounts (
       id text PRIMARY KEY, merchant text NOT NULL, writer bigint NOT NULL, epoch bigint NOT NULL, edition integer NOT NULL, seed text,
       last bigint NOT NULL, wake_ms float8, checkpoint text) WITH (fillfactor = 50)`,
    `CREATE INDEX accounts_by_merchant ON accounts (merchant)`,
    `CREATE TABLE entries (
       account text, edition integer, seq bigint, line text NOT NULL, PRIMARY KEY (account, edition, seq))`,
    `CREATE TABLE images (account text, digest text, bytes bytea NOT NULL, PRIMARY KEY (account, digest))`,
    `ALTER TABLE images ALTER bytes SET STORAGE EXTERNAL`,
    `CREATE TABLE files (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, account text NOT NULL, chunks integer NOT NULL)`,
    `CREATE INDEX files_by_account ON files (account)`,
    `CREATE TABLE chunks (
       file bigint REFERENCES files ON DELETE CASCADE, nth integer, bytes bytea NOT NULL, PRIMARY KEY (file, nth))`,
    `ALTER TABLE chunks ALTER bytes SET STORAGE EXTERNAL`,
  ],
  '0002-nodes': [
    // What a process reports about itself. An older version that serves at the same time leaves it out.
    `ALTER TABLE processes ADD lag_ms float8 NOT NULL DEFAULT 0, ADD takeovers bigint NOT NULL DEFAULT 0,
       ADD forwarded bigint NOT NULL DEFAULT 0`,
  ],
  // Each process looks about every second for accounts that nobody serves, of which most have no timer.
  '0003-wake': [`CREATE INDEX accounts_by_wake ON accounts (wake_ms) WHERE wake_ms IS NOT NULL`],
  // A process that lost an account during a write can distinguish its entries from those of the next holder.
  '0004-epochs': [`ALTER TABLE entries ADD epoch bigint`],
  // A merchant that moves has no holder until its next call. The time of the next holder must not be earlier.
  '0005-moves': [
    `ALTER TABLE holdings ADD wall_ms float8 NOT NULL DEFAULT 0`,
    `ALTER TABLE processes ADD moves bigint NOT NULL DEFAULT 0`,
  ],
  // If the connection of a call ends without an answer, the stopped process says here whether it lost a call.
  '0006-departures': [
    `ALTER TABLE processes ADD leaving boolean NOT NULL DEFAULT false, ADD answered_all boolean NOT NULL DEFAULT false`,
  ],
  // The holder's wall clock may be behind that of an earlier one, and its accounts then run on from there.
  '0007-taken': [`ALTER TABLE holdings ADD taken_at timestamptz`],
}
export const LATEST = Object.keys(STEPS)

/** Where the steps that were taken are noted. */
const MIGRATIONS = 'migrations'
/** The first start makes all of these at once, among others. No other program's schema has them. */
const MARKS = [
  MIGRATIONS,
  'cluster',
  'used',
  'list',
  'list_end',
  'processes',
  'holdings',
  'accounts',
  'entries',
]

/** Brings the schema to the state of this version. Another program's tables are refused, and never touched. */
export async function bringUpToDate(
  database: Database,
  address: DatabaseAddress,
  mustExist = false,
): Promise<void> {
  const done = await stepsTaken(database, address)
  if (!done && mustExist)
    throw new StartError(`the schema ${address.schema} of ${address.url} contains no paysim data`, 2)
  if (done?.length === LATEST.length) return
  await takeSteps(database, address)
}

/** The steps that were taken; undefined if paysim never used the schema. Refuses one of another version. */
export async function stepsTaken(
  database: Database,
  address: DatabaseAddress,
): Promise<string[] | undefined> {
  const done = await stepsDone(database, address)
  const newer = done?.find(step => !LATEST.includes(step))
  if (newer !== undefined)
    throw new StartError(
      `the schema ${address.schema} of ${address.url} was written by a newer paysim: it has the step ${newer}, and ` +
        `this one knows ${LATEST.at(-1)}`,
      2,
      'use that version, or another schema',
    )
  return done
}

async function stepsDone({ ask }: Database, { url, schema }: DatabaseAddress): Promise<string[] | undefined> {
  const { rows } = await ask<{ name: string }>(
    `SELECT relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') ORDER BY relkind = 'S', relname`,
    [schema],
  )
  const names = rows.map(({ name }) => name)
  const [first] = names
  if (first === undefined) return undefined
  if (!MARKS.every(name => names.includes(name))) {
    const foreign = names.find(name => !MARKS.includes(name)) ?? first
    throw new StartError(
      `the schema ${schema} of ${url} has another program's tables, such as ${foreign}; nothing was changed`,
      2,
      'name a schema of its own for paysim, such as ?schema=paysim',
    )
  }
  const { rows: done } = await ask<{ name: string }>(`SELECT name FROM ${MIGRATIONS} ORDER BY name`)
  return done.map(({ name }) => name)
}

/**
 * Takes the missing steps, all or none. Under a lock, because several processes may start at once; one that looks meanwhile
 * sees all tables or none, so that it never takes one for another program's.
 */
async function takeSteps({ transaction }: Database, { schema }: DatabaseAddress): Promise<void> {
  await transaction(async ask => {
    await ask('SELECT pg_advisory_xact_lock(hashtext($1))', [`paysim ${schema}`])
    // The user may not have the right to create a schema, and does not need it if it is there.
    const { count } = await ask('SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1', [schema])
    if (count === 0) await ask(`CREATE SCHEMA ${schema}`)
    await ask(
      `CREATE TABLE IF NOT EXISTS ${MIGRATIONS} (name varchar(255) PRIMARY KEY, timestamp varchar(255) NOT NULL)`,
    )
    const { rows } = await ask<{ name: string }>(`SELECT name FROM ${MIGRATIONS}`)
    for (const [step, statements] of Object.entries(STEPS)) {
      if (rows.some(({ name }) => name === step)) continue
      for (const statement of statements) await ask(statement)
      await ask(`INSERT INTO ${MIGRATIONS} VALUES ($1, now()::text)`, [step])
    }
  })
}

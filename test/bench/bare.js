// The minimum for the same work, on node:http alone: paysim's figures are ratios to it. node bare.js
// get|create|commit|bodies|slice|payouts, with the settings of the run as JSON.
import { fdatasync, openSync, write } from 'node:fs'
import { createServer } from 'node:http'
import { recordName } from './names.js'

const [kind, facts] = process.argv.slice(2)
const handle = {
  get: lookUp,
  create: keepInMap,
  commit: keepInFile,
  bodies: keepBodies,
  slice: slicePage,
  payouts: makePages,
}[kind](JSON.parse(facts))

const server = createServer(handle).listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})

/** A Map look-up for the account, one for the record, and a text that exists already. */
function lookUp({ authorization, prefix, count, length }) {
  const accounts = new Map([[authorization, {}]])
  const records = new Map()
  for (let nth = 1; nth <= count; nth++) {
    const id = recordName(prefix, nth)
    records.set(id, jsonOf(length, id))
  }
  const idAt = '/payment_intents/'.length
  return (request, response) => {
    const record = accounts.has(request.headers.authorization) && records.get(request.url.slice(idAt))
    answer(response, record ? 200 : 404, record || '{}')
  }
}

/** Calls back with the parsed body. */
function withBody(request, take) {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', chunk => {
    text += chunk
  })
  request.on('end', () => take(JSON.parse(text)))
}

/** Keeps the body in memory. Nothing is checked or stored. */
function keepInMap({ length }) {
  const records = new Map()
  const text = jsonOf(length, 'created')
  return (request, response) => {
    withBody(request, body => {
      records.set(`pi_${records.size}`, body)
      answer(response, 201, text)
    })
  }
}

/** The same with a line in a file for each. */
function keepInFile({ length, file }) {
  const records = new Map()
  const text = jsonOf(length, 'created')
  const append = groupCommit(file, lines => Buffer.from(lines.join('')))
  return (request, response) => {
    withBody(request, body => {
      const id = `pi_${records.size}`
      const record = { ...body, id, text }
      records.set(id, record)
      append(`${JSON.stringify(record)}\n`, () => answer(response, 201, text))
    })
  }
}

/** The bytes of each body at the end of a file. Nothing is checked. */
function keepBodies({ length, file }) {
  const text = jsonOf(length, 'submitted')
  const append = groupCommit(file, Buffer.concat)
  return (request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => append(Buffer.concat(chunks), () => answer(response, 200, text)))
  }
}

/** Appends to a file. What arrives while it writes is written and synced together. */
function groupCommit(file, join) {
  const handle = openSync(file, 'a')
  let pieces = []
  let waiting = []
  let isWriting = false
  const writeBatch = () => {
    if (pieces.length === 0) {
      isWriting = false
      return
    }
    const [bytes, answers] = [join(pieces), waiting]
    pieces = []
    waiting = []
    write(handle, bytes, error => {
      if (error) throw error
      fdatasync(handle, () => {
        for (const done of answers) done()
        writeBatch()
      })
    })
  }
  return (piece, done) => {
    pieces.push(piece)
    waiting.push(done)
    if (isWriting) return
    isWriting = true
    setImmediate(writeBatch)
  }
}

/** The last records of an array, made into JSON for each request. */
function slicePage({ count, limit, sample }) {
  const records = Array.from({ length: count }, (_, at) => ({ ...sample, id: recordName('po', at + 1) }))
  return (_, response) => {
    const data = records.slice(count - limit, count)
    answer(
      response,
      200,
      JSON.stringify({ data, has_more: true, next_cursor: recordName('po', count - limit) }),
    )
  }
}

/** Pages of payouts. Each is made when it is requested, so that they need no memory. */
function makePages({ count }) {
  return (request, response) => {
    const { searchParams } = new URL(request.url, 'http://localhost')
    const from = Number(searchParams.get('cursor') ?? 0)
    const to = Math.min(count, from + Number(searchParams.get('limit')))
    const data = Array.from({ length: to - from }, (_, at) => payout(from + at + 1))
    const next_cursor = to < count ? String(to) : null
    const text = JSON.stringify({ data, has_more: to < count, next_cursor })
    answer(response, 200, text)
  }
}

const payout = nth => ({
  id: recordName('po', nth),
  object: 'payout_intent',
  amount: String(nth),
  currency: 'THB',
  country: 'TH',
  environment: 'test',
  merchant_reference: `order-${nth}`,
  status: 'succeeded',
  recipient: { type: 'bank_account', bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_last4: '7890' },
  failure_code: null,
  failure_message: null,
  created_at: '2026-01-31T11:00:00.000Z',
  updated_at: '2026-01-31T11:00:00.000Z',
})

function answer(response, status, text) {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length })
  response.end(text)
}

function jsonOf(length, id) {
  const empty = JSON.stringify({ id, padding: '' })
  return JSON.stringify({ id, padding: '.'.repeat(Math.max(0, length - empty.length)) })
}

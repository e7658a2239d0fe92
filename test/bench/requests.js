import { recordName } from './names.js'
import { PAYMENTS } from './paysim.js'

// What each connection sends: different requests, so that no cache gets the same one from all.

/** A prime, so that steps of it reach every record before one repeats. */
const STRIDE = 7919

const GETS_A_CONNECTION = 1000
const CREATES_A_CONNECTION = 100

/** GET a random payment of a store. */
export const gets = (server, { prefix, count }, authorization = server.authorization, more = {}) => ({
  server,
  requestsOf: (connection, connections) =>
    Array.from({ length: Math.min(count, GETS_A_CONNECTION) }, (_, nth) => ({
      path: `${PAYMENTS}/${recordName(prefix, 1 + (((nth * connections + connection) * STRIDE) % count))}`,
      headers: { authorization, ...more },
    })),
})

/** POST payments, each with a reference of its own. */
export const creates = (server, paymentFor, authorization = server.authorization) => ({
  server,
  requestsOf: connection =>
    Array.from({ length: CREATES_A_CONNECTION }, (_, nth) => ({
      method: 'POST',
      path: PAYMENTS,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(paymentFor(`order-${connection}-${nth}`)),
    })),
})

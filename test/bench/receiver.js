// Takes webhooks: answers each with 204, and tells its parent when as many have come as it was asked for.
import { createServer } from 'node:http'

let awaited = Number.POSITIVE_INFINITY
let received = 0
process.on('message', count => {
  awaited = count
  received = 0
})
process.on('disconnect', () => process.exit())

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(204).end()
    if (++received === awaited) process.send({ received })
  })
})
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/` }))

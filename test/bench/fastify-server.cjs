// A merchant's own mock on Fastify: records in a Map. node fastify-server.cjs FOLDER {count, length, port}
const { createRequire } = require('node:module')
const [folder, facts] = process.argv.slice(2)
const { count, length, port } = JSON.parse(facts)
const app = createRequire(folder)('fastify')()

const records = new Map()
for (let nth = 1; nth <= count; nth++) {
  const id = `pi_${String(nth).padStart(24, '0')}`
  records.set(id, recordOf(id))
}

app.get('/payment_intents/:id', (request, reply) => {
  const record = records.get(request.params.id)
  return record ?? reply.code(404).send({})
})
app.post('/payment_intents', (request, reply) => {
  const record = { ...recordOf(`pi_${records.size}`), ...request.body }
  records.set(record.id, record)
  return reply.code(201).send(record)
})
app.listen({ port: Number(port), host: '127.0.0.1' }).then(url => console.log(`listening on ${url}`))

function recordOf(id) {
  const empty = JSON.stringify({ id, padding: '' })
  return { id, padding: '.'.repeat(Math.max(0, length - empty.length)) }
}

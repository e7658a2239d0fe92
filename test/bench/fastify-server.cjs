// A merchant's own mock on Fastify: records in a Map. node fastify-server.cjs FOLDER RECORDS PORT
const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const [folder, file, port] = process.argv.slice(2)
const app = createRequire(folder)('fastify')()

const { payment_intents } = JSON.parse(readFileSync(file, 'utf8'))
const records = new Map(payment_intents.map(record => [record.id, record]))
const [example] = payment_intents

app.get('/payment_intents/:id', (request, reply) => {
  const record = records.get(request.params.id)
  return record ?? reply.code(404).send({})
})
app.post('/payment_intents', (request, reply) => {
  const record = { ...example, ...request.body, id: `pi_${records.size}` }
  records.set(record.id, record)
  return reply.code(201).send(record)
})
app.listen({ port: Number(port), host: '127.0.0.1' }).then(url => console.log(`listening on ${url}`))

// The shortest way from a script to a server that says where it is.
const server = require('node:http').createServer()
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))

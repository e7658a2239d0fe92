import { type Contract, DECISIONS, type DecisionKey } from '../../contract/decisions.ts'
import { CONTROL_PREFIX } from '../../contract/paths.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import type { ControlHandlers } from './control-call.ts'
import { metricsText } from './metrics.ts'
import type { ControlSettings } from './settings.ts'

export function serverCalls(settings: ControlSettings) {
  const { gateway, requests, streams, forwarder } = settings
  const { contract } = gateway
  return {
    'GET /health': (_, answer) => answer(200, { status: 'ok' }),
    'GET /ready': (_, answer) => {
      if (!gateway.ready) return answer(503, { status: 'loading' })
      const stopped = gateway.accounts.flatMap(account => (account.stopped ? account.id : []))
      return answer(200, { status: 'ready', ...(stopped.length > 0 ? { stopped } : {}) })
    },
    'GET /contract': (_, answer) => answer(200, decisionsInForce(contract)),
    'GET /openapi.json': async ({ headers }, answer) => {
      const { openApiDocument } = await import('../../contract/openapi/document.ts')
      return answer(200, openApiDocument(contract, urlFor(headers.host, settings)))
    },
    'GET /control.json': async ({ headers }, answer) => {
      const { controlDocument } = await import('../../contract/openapi/control-document.ts')
      return answer(200, controlDocument(contract, `http://${headers.host}${CONTROL_PREFIX}`))
    },
    'GET /metrics': (_, __, reply) =>
      reply
        .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
        .send(metricsText({ gateway, requests, streams, holders: forwarder?.holders })),
  } satisfies Partial<ControlHandlers>
}

const decisionsInForce = (contract: Contract) =>
  Object.fromEntries(
    (Object.keys(DECISIONS) as DecisionKey[]).map(key => [
      key,
      {
        value: answerOf(key, contract),
        kind: DECISIONS[key].kind === 'constant' ? ('constant' as const) : ('switch' as const),
      },
    ]),
  )

/** The address of the merchant API, with the host name that the caller used. */
function urlFor(host: string | undefined, { surfaces, merchantUrl }: ControlSettings): string {
  if (!URL.canParse(`http://${host}`)) return merchantUrl()
  const asked = new URL(`http://${host}`)
  if (!surfaces.merchant) asked.port = new URL(merchantUrl()).port
  return asked.origin
}

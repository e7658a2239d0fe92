import { DECISIONS, type DecisionKey } from '../../contract/decisions.ts'
import { answerOf } from '../../contract/resolve-contract.ts'
import type { Routes } from '../http/routes.ts'
import { send } from './control-call.ts'
import { metricsText } from './metrics.ts'
import type { ControlSettings } from './settings.ts'

export function serverCalls(scope: Routes, settings: ControlSettings): void {
  const { gateway, requests } = settings
  const { contract } = gateway
  scope.get('/health', (_, reply) => send(reply, 200, { status: 'ok' }))
  scope.get('/ready', (_, reply) =>
    send(reply, gateway.ready ? 200 : 503, { status: gateway.ready ? 'ready' : 'loading' }),
  )
  scope.get('/contract', (_, reply) => send(reply, 200, inForce()))
  scope.get('/openapi.json', async ({ headers }, reply) => {
    const { openApiDocument } = await import('../../contract/openapi/document.ts')
    return send(reply, 200, openApiDocument(contract, urlFor(headers.host, settings)))
  })
  scope.get('/metrics', (_, reply) =>
    reply
      .header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      .send(metricsText(gateway, requests)),
  )

  const inForce = () =>
    Object.fromEntries(
      (Object.keys(DECISIONS) as DecisionKey[]).map(key => [
        key,
        { value: answerOf(key, contract), kind: DECISIONS[key].kind === 'constant' ? 'constant' : 'switch' },
      ]),
    )
}

/** Where the merchant API is for whoever asks: under the name that they asked by. */
function urlFor(host: string | undefined, { surfaces, merchantUrl }: ControlSettings): string {
  if (!URL.canParse(`http://${host}`)) return merchantUrl()
  const asked = new URL(`http://${host}`)
  if (!surfaces.merchant) asked.port = new URL(merchantUrl()).port
  return asked.origin
}

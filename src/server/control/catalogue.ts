import * as Type from '@sinclair/typebox'
import { HealthBody } from '../../contract/control/requests.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { carryOut } from '../carry-out.ts'
import type { Routes } from '../http/routes.ts'
import { bodyReader, param, runtimeNamed, send } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))
const readHealth = bodyReader<HealthBody>(HealthBody)

export function catalogueCalls(scope: Routes, { gateway }: ControlSettings): void {
  scope.get('/accounts/:account/catalogue', (request, reply) =>
    send(reply, 200, catalogueView(runtimeNamed(gateway, request))),
  )

  scope.put('/accounts/:account/catalogue', async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const catalogue = (await readAnything(request)) as CatalogueData
    await carryOut(runtime, { type: 'ReplaceCatalogue', catalogue }, 'operator')
    return send(reply, 200, catalogueView(runtime))
  })

  scope.patch('/accounts/:account/catalogue/providers/:provider', async (request, reply) => {
    const runtime = runtimeNamed(gateway, request)
    const { healthy } = await readHealth(request)
    const provider = param(request, 'provider')
    await carryOut(runtime, { type: 'SetProviderHealth', provider, healthy }, 'operator')
    return send(reply, 200, { id: provider, healthy })
  })
}

/** As it was given, with each provider's health as it is now. */
function catalogueView(runtime: AccountRuntime) {
  const { catalogue, isHealthy } = routingTable(runtime.account.world, runtime)
  const { providers, methods, routes } = catalogue.data
  return { providers: providers.map(({ id }) => ({ id, healthy: isHealthy(id) })), methods, routes }
}

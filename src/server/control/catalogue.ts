import * as Type from '@sinclair/typebox'
import type { CatalogueState } from '../../contract/control/catalogue.ts'
import { HealthBody } from '../../contract/control/requests.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { routingTable } from '../../domain/decide/routing-table.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { carryOut } from '../carry-out.ts'
import { bodyReader, type ControlHandlers, param, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readAnything = bodyReader<unknown>(Type.Object({}))
const readHealth = bodyReader<HealthBody>(HealthBody)

export function catalogueCalls({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/catalogue': (request, answer) =>
      answer(200, catalogueView(runtimeNamed(gateway, request))),

    'PUT /accounts/:account/catalogue': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const catalogue = (await readAnything(request)) as CatalogueData
      await carryOut(runtime, { type: 'ReplaceCatalogue', catalogue }, 'operator')
      return answer(200, catalogueView(runtime))
    },

    'PATCH /accounts/:account/catalogue/providers/:provider': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const { healthy } = await readHealth(request)
      const provider = param(request, 'provider')
      await carryOut(runtime, { type: 'SetProviderHealth', provider, healthy }, 'operator')
      return answer(200, { id: provider, healthy })
    },
  } satisfies Partial<ControlHandlers>
}

/** The catalogue as it was given, with each provider's current health. */
function catalogueView(runtime: AccountRuntime): CatalogueState {
  const { catalogue, isHealthy } = routingTable(runtime.account.world, runtime)
  const { providers, methods, routes } = catalogue.data
  return { providers: providers.map(({ id }) => ({ id, healthy: isHealthy(id) })), methods, routes }
}

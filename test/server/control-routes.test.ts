import { expect, test } from 'vitest'
import { controlOperations } from '../../src/contract/control/operations.ts'
import { CONTROL_PREFIX } from '../../src/contract/paths.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import type { ControlSettings } from '../../src/server/control/control-call.ts'
import { controlSurface } from '../../src/server/control/index.ts'

/** The routes as a server has them. Nothing is asked of its parts before a request comes. */
function routes() {
  const gateway = { contract: resolveContract({}), onEntry: () => {} }
  return controlSurface({ gateway, controlToken: 't' } as unknown as ControlSettings).routes
}

/** What the dashboard's page is made of is for browsers, and no call. */
const isPage = (path: string) => /^\/dashboard(\/(:\d|assets)|\/?$)/.test(path)

test('every route of the control surface is an operation of its document, and every operation has a route', () => {
  const registered = routes()
    .all.map(({ method, path }) => ({ method, path: path.slice(CONTROL_PREFIX.length) }))
    .filter(({ path }) => !isPage(path))
    .map(({ method, path }) => `${method} ${path}`)
  expect(registered.sort()).toEqual(Object.keys(controlOperations('any')).sort())
})

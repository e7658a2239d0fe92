import type { Catalogue, CatalogueState, ProviderHealth } from '../contract/control/catalogue.ts'
import type { AdvanceResult, ClockState } from '../contract/control/clock.ts'
import type { FaultRule, FaultsState } from '../contract/control/faults.ts'
import type { ClockMode } from '../contract/control/requests.ts'
import type { ProviderRule, RulesState } from '../contract/control/rules.ts'
import type { Call } from './call.ts'
import type { ControlHttp } from './control-http.ts'
import { ArgumentError } from './errors.ts'
import { orReject, shown } from './options.ts'

type Duration = string

/** The settings of a clock. `now` must not be before the account's time; `rate` is for a real clock: 60, or `60x`. */
export type ClockSetting =
  | ClockMode
  | { readonly mode: ClockMode; readonly now?: string | Date; readonly rate?: number | string }

/** How far to move a virtual clock: by a duration, to a time, or until nothing is due (`max` limits it). */
export type AdvanceGoal =
  | Duration
  | { readonly by: Duration }
  | { readonly to: string | Date }
  | { readonly until: 'idle'; readonly max?: Duration }

/** Calls that control an account: its clock, provider rules, catalogue and faults. */

export function clockCalls(http: ControlHttp, at: string) {
  return {
    get: (): Call<ClockState> => http.json('GET', `${at}/clock`),
    set: (setting: ClockSetting): Call<ClockState> =>
      http.json('PUT', `${at}/clock`, { body: clockBody(setting) }),
    /** Returns when the account is quiet: everything that was due has happened, including webhooks. */
    advance: (goal: AdvanceGoal): Call<AdvanceResult> =>
      orReject(() => http.json('POST', `${at}/clock/advance`, { body: advanceBody(goal) })),
  }
}

export function clockBody(setting: ClockSetting) {
  if (typeof setting === 'string') return { mode: setting }
  return { ...setting, ...(setting.now === undefined ? {} : { now: instant(setting.now) }) }
}

function advanceBody(goal: AdvanceGoal) {
  if (typeof goal === 'string') return { by: goal }
  // Callers without a compiler may pass anything.
  const given: unknown = goal
  const goals =
    typeof given === 'object' && given !== null ? ['by', 'to', 'until'].filter(name => name in given) : []
  if (goals.length !== 1)
    throw new ArgumentError(
      `clock.advance() takes a duration such as "5s", or one of { by: "5s" }, { to: "2027-01-01T00:00:00Z" } and ` +
        `{ until: "idle" }, not ${shown(given)}${typeof given === 'number' ? `; ${given} ms is "${given}ms"` : ''}`,
    )
  return 'to' in goal ? { to: instant(goal.to) } : goal
}

const instant = (at: string | Date) => (typeof at === 'string' ? at : at.toISOString())

export function scriptCalls(http: ControlHttp, at: string) {
  return {
    rules: {
      get: (): Call<RulesState> => http.json('GET', `${at}/rules`),
      replace: (rules: readonly ProviderRule[]): Call<RulesState> =>
        http.json('PUT', `${at}/rules`, { body: { rules } }),
      /** Adds rules before the rules in force, including the default ones. */
      prepend: (rules: readonly ProviderRule[]): Call<RulesState> =>
        http.json('POST', `${at}/rules`, { body: { rules } }),
      /** Restores the default rules. */
      reset: (): Call<RulesState> => http.json('DELETE', `${at}/rules`),
    },
    faults: {
      get: (): Call<FaultsState> => http.json('GET', `${at}/faults`),
      replace: (faults: readonly FaultRule[]): Call<FaultsState> =>
        http.json('PUT', `${at}/faults`, { body: { faults } }),
      clear: (): Call<FaultsState> => http.json('DELETE', `${at}/faults`),
    },
    catalogue: {
      get: (): Call<CatalogueState> => http.json('GET', `${at}/catalogue`),
      replace: (catalogue: Catalogue): Call<CatalogueState> =>
        http.json('PUT', `${at}/catalogue`, { body: catalogue }),
      setHealth: (provider: string, healthy: boolean): Call<ProviderHealth> =>
        http.json('PATCH', `${at}/catalogue/providers/${encodeURIComponent(provider)}`, {
          body: { healthy },
        }),
    },
  }
}

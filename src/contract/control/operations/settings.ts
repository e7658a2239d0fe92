import { list, named } from '../../schema.ts'
import { Catalogue, CatalogueState, ProviderHealth } from '../catalogue.ts'
import { AdvanceResult, ClockState, TimerRecord } from '../clock.ts'
import { FaultsBody, FaultsState } from '../faults.ts'
import { AdvanceBody, ClockBody, HealthBody } from '../requests.ts'
import { RulesBody, RulesState } from '../rules.ts'
import type { ControlOperations } from './operation.ts'

/** The settings of an account: its clock, its catalogue, its rules and its faults. */
export const SETTING_OPERATIONS = {
  'GET /accounts/:account/clock': {
    id: 'readClock',
    summary: 'Read the clock of an account',
    answers: { 200: ClockState },
  },
  'PUT /accounts/:account/clock': {
    id: 'setClock',
    summary: 'Set the clock of an account',
    body: { json: ClockBody },
    answers: { 200: ClockState },
  },
  'POST /accounts/:account/clock/advance': {
    id: 'advanceClock',
    summary: 'Move a virtual clock, and wait until the account is quiet',
    body: { json: AdvanceBody },
    answers: { 200: AdvanceResult },
    errors: ['invalid_state'],
  },
  'GET /accounts/:account/timers': {
    id: 'listTimers',
    summary: 'List the pending timers, the next one first',
    answers: { 200: list(TimerRecord) },
  },
  'GET /accounts/:account/catalogue': {
    id: 'readCatalogue',
    summary: 'Read the catalogue, with the health of each provider',
    answers: { 200: CatalogueState },
  },
  'PUT /accounts/:account/catalogue': {
    id: 'setCatalogue',
    summary: 'Set the catalogue of an account',
    body: { json: named('Catalogue', Catalogue) },
    answers: { 200: CatalogueState },
  },
  'PATCH /accounts/:account/catalogue/providers/:provider': {
    id: 'setProviderHealth',
    summary: 'Set whether a provider is healthy',
    body: { json: HealthBody },
    answers: { 200: ProviderHealth },
  },
  'GET /accounts/:account/rules': {
    id: 'readRules',
    summary: 'Read the provider rules in force',
    answers: { 200: RulesState },
  },
  'PUT /accounts/:account/rules': {
    id: 'replaceRules',
    summary: 'Replace all provider rules',
    body: { json: named('RulesBody', RulesBody) },
    answers: { 200: RulesState },
  },
  'POST /accounts/:account/rules': {
    id: 'addRules',
    summary: 'Add rules in front of those in force',
    body: { json: named('RulesBody', RulesBody) },
    answers: { 200: RulesState },
  },
  'DELETE /accounts/:account/rules': {
    id: 'resetRules',
    summary: 'Restore the standard rules',
    answers: { 200: RulesState },
  },
  'GET /accounts/:account/faults': {
    id: 'readFaults',
    summary: 'Read the faults that are set',
    answers: { 200: FaultsState },
  },
  'PUT /accounts/:account/faults': {
    id: 'replaceFaults',
    summary: 'Replace all faults',
    body: { json: named('FaultsBody', FaultsBody) },
    answers: { 200: FaultsState },
  },
  'DELETE /accounts/:account/faults': {
    id: 'clearFaults',
    summary: 'Remove all faults',
    answers: { 200: FaultsState },
  },
} as const satisfies ControlOperations

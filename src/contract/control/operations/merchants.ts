import { list } from '../../schema.ts'
import { KeyPairRecord, MerchantRecord, NewMerchant } from '../merchants.ts'
import { MerchantPatch } from '../requests.ts'
import type { ControlOperations } from './operation.ts'

/** Merchants, and the keys of their accounts. */
export const MERCHANT_OPERATIONS = {
  'POST /merchants': {
    id: 'createMerchant',
    summary: 'Create a merchant, with an account in each environment',
    body: { json: NewMerchant, optional: true },
    answers: { 201: MerchantRecord },
    errors: ['invalid_state'],
  },
  'GET /merchants': {
    id: 'listMerchants',
    summary: 'List all merchants',
    answers: { 200: list(MerchantRecord) },
  },
  'GET /merchants/:id': {
    id: 'readMerchant',
    summary: 'Read a merchant',
    answers: { 200: MerchantRecord },
  },
  'PATCH /merchants/:id': {
    id: 'changeMerchant',
    summary: 'Change the name or the Team policy of a merchant',
    body: { json: MerchantPatch },
    answers: { 200: MerchantRecord },
  },
  'DELETE /merchants/:id': {
    id: 'removeMerchant',
    summary: 'Remove a merchant with its accounts and records',
    answers: { 204: null },
  },
  'GET /accounts/:account/keys': {
    id: 'listKeys',
    summary: 'List the key pairs of an account',
    answers: { 200: list(KeyPairRecord) },
  },
  'POST /accounts/:account/keys': {
    id: 'addKeys',
    summary: 'Add a key pair',
    answers: { 201: KeyPairRecord },
  },
  'DELETE /accounts/:account/keys/:key': {
    id: 'revokeKeys',
    summary: 'Revoke a key pair, by its public key',
    answers: { 204: null },
  },
} as const satisfies ControlOperations

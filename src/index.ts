// A project that names no `types` and no `lib` has to find these too.
/// <reference types="node" preserve="true" />
/// <reference lib="esnext.disposable" preserve="true" />

/** The library of paysim: a payment gateway that a test suite can start, control and inspect. */
export {
  type AccountControl,
  type AdvanceGoal,
  type AdvanceResult,
  type Archive,
  type AssetRecord,
  type Catalogue,
  type CatalogueMethod,
  type CatalogueProvider,
  type CatalogueRoute,
  type ClockMode,
  type ClockSetting,
  type ClockState,
  type ControlAddress,
  ControlClient,
  ControlError,
  ControlUnreachableError,
  type DeliveryRecord,
  type EndpointRecord,
  type EventRecord,
  type FailureReason,
  type FaultRule,
  type FaultsState,
  type JournalEntry,
  type KeyPairRecord,
  type LoggedRequest,
  type MerchantRecord,
  type NewMerchant,
  type NewPayout,
  type PaymentRecord,
  type PaymentTrigger,
  type PayoutRecord,
  type PayoutTrigger,
  type ProviderCallRecord,
  type ProviderRule,
  type RuleCondition,
  type RulesState,
  type StreamMessage,
  type TimerRecord,
} from './client/control-client.ts'
export * from './client/index.ts'
export { signWebhook, verifyWebhook } from './contract/webhook-signature.ts'
export type {
  AccountFacts,
  AccountSettings,
  RunningSimulator,
  SimulatedAccount,
} from './library/running-simulator.ts'
export { connectSimulator, type SimulatorAddress } from './library/running-simulator.ts'
export { type StartOptions, startSimulator } from './library/start-simulator.ts'
export {
  type EventMatch,
  type EventSubject,
  type ReceivedEvent,
  type WebhookAnswer,
  type WebhookResponder,
  WebhookSignatureError,
  type Webhooks,
  WebhookTimeoutError,
} from './library/webhook-receiver.ts'
export { defineScenario, type Scenario, type ScenarioStep } from './scenario/define-scenario.ts'
export type { CatalogueOverlay as ScenarioCatalogue } from './scenario/schema/account.ts'
export type { AnswerExpectation } from './scenario/schema/answers.ts'

import * as Type from '@sinclair/typebox'
import { count, named, nullable, object, oneOf, type Wire } from '../schema.ts'

/** The processes that serve one database. */

const Node = named(
  'Node',
  object({
    node: Type.String(),
    address: nullable(Type.String({ description: 'where the other processes reach it' })),
    serving: Type.Boolean({ description: 'whether its lease is good' }),
    merchants: Type.Integer({ minimum: 0, description: 'how many it holds' }),
    renewed_ms_ago: Type.Number({ minimum: 0, description: 'since it renewed its lease' }),
    lag_ms: Type.Number({ minimum: 0, description: 'how long its last renewal took' }),
    takeovers: Type.Integer({ minimum: 0, description: 'merchants that it took over from others' }),
    moves: Type.Integer({
      minimum: 0,
      description: 'merchants that it released, because they belong to another process',
    }),
    forwarded: Type.Integer({ minimum: 0, description: 'calls that it handed to others' }),
  }),
)
export type Node = Wire<typeof Node>

const Holding = named(
  'Holding',
  object({
    merchant: Type.String(),
    node: nullable(Type.String({ description: 'the process that holds it; null until somebody asks' })),
    takeovers: count,
  }),
)
export type Holding = Wire<typeof Holding>

export const Nodes = named(
  'Nodes',
  object({
    node: Type.String({ description: 'the process that answers' }),
    clustered: Type.Boolean({ description: 'false if only one process serves the store' }),
    nodes: Type.Array(Node),
    holdings: object({ data: Type.Array(Holding), total: count }),
  }),
)
export type Nodes = Wire<typeof Nodes>

/** The decisions in force for questions that the interface document leaves open. */
export const DecisionsInForce = Type.Record(
  Type.String(),
  object({ value: Type.String(), kind: oneOf(['switch', 'constant']) }),
)
export type DecisionsInForce = Wire<typeof DecisionsInForce>

/** The files of undici that a forwarded call needs: its index loads three times as much. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}

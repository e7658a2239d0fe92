/** Tasks that a person can pick in the client. */
export const PROMPTS: Readonly<Record<string, { readonly description: string; readonly text: string }>> = {
  'why-does-my-webhook-fail': {
    description: 'Find out why a webhook does not arrive or is not taken, mend it, and prove it',
    text: `A webhook of paysim does not arrive, or my endpoint does not take it. Find out why and mend it.
1. Call deliveries with status pending,failed. If there is no endpoint, say how to add one with \`paysim webhooks listen --forward-to\` or \`paysim sim endpoints add\`.
2. Call why with the id of a delivery that fails: it says what the endpoint answered.
3. Find the handler in this project. Check that it verifies the signature over the raw body, answers 2xx before slow work, and takes the same event twice.
4. Mend it, then call redeliver, and why once more, until the delivery is delivered.
5. Say in two sentences what was wrong, and show the change.`,
  },
  'write-a-test-for-this-payment': {
    description: 'Turn what happened to a payment into a test that passes',
    text: `Write a test for a payment that paysim knows. Ask me for its id if I gave none.
1. Call history with the id: who did what, and when.
2. Read the resources docs/testing.md and docs/scenarios.md.
3. Write a scenario of the same steps with what you saw as expectations: references instead of ids, \`advance\` instead of times.
4. Play it with run_scenario until it passes. Then change one expectation, and see that it fails.
5. Save it where this project keeps its tests, in the project's own test framework if that has one for paysim, and run it.`,
  },
}

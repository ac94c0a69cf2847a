// What the conformance suite starts as a client, with the address of its server: it hands the scenario to the service of the
// test, which is the client that is judged, and waits until the person there is through with it.
const { CONFORMANCE_PERSON, MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT } = process.env;

const answer = await fetch(CONFORMANCE_PERSON ?? '', {
  method: 'POST',
  body: JSON.stringify({
    scenario: MCP_CONFORMANCE_SCENARIO,
    url: process.argv.at(-1),
    context: JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}'),
  }),
});
console.error(await answer.text());
process.exitCode = answer.ok ? 0 : 1;

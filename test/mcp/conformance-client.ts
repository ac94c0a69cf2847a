// The client that the conformance suite starts with the address of its server. It passes the scenario on to
// the service of the test, which is the client under test, and waits until the person there is done.
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

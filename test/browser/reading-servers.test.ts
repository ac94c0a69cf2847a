// How the app reads tool servers: as fields of a form and back, and from the JSON that their documentation prints.
import { describe, expect, it } from 'vitest';
import { readPastedServers } from '../../web/src/tool-servers/pasted-servers.ts';
import { toEntry, toFields } from '../../web/src/tool-servers/server-fields.ts';

describe('a tool server as a form', () => {
  it('[web.tool-servers.add] keeps settings that the form does not show, and masked secrets', () => {
    const entry = {
      enabled: false,
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'server with a space'],
      env: { KEY: '***', MODE: 'a=b' },
      description: 'Notes',
      tool_name_prefix: false,
      tool_call_timeout: 90,
      denied_tools: ['drop'],
      of_another_program: { kept: true },
    };
    expect(toEntry(toFields(entry), entry)).toEqual({ kind: 'entry', entry });
  });

  it('[web.tool-servers.add] removes the command when the server gets an address', () => {
    const before = { enabled: true, command: 'npx', args: ['x'], env: { A: '1' }, denied_tools: [] };
    const fields = { ...toFields(before), kind: 'address' as const, url: ' https://example.com/mcp ' };
    expect(toEntry({ ...fields, headers: 'Authorization: Bearer a:b\n\nX-Team: 7' }, before)).toEqual({
      kind: 'entry',
      entry: {
        enabled: true,
        denied_tools: [],
        type: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer a:b', 'X-Team': '7' },
      },
    });
  });

  it('[web.tool-servers.add] names the lines that are not variables or headers', () => {
    const command = { ...toFields({}), command: 'npx', env: 'A=1\nB' };
    expect(toEntry(command, {})).toMatchObject({ field: 'env', sentence: 'Write line 2 as NAME=value.' });
    const address = { ...toFields({ url: 'https://a.example' }), headers: ': x' };
    expect(toEntry(address, {})).toMatchObject({
      field: 'headers',
      sentence: 'Write line 1 as Name: value.',
    });
  });
});

describe('pasted JSON', () => {
  const entry = { command: 'npx', args: ['-y', 'server'] };

  it('[web.tool-servers.add] accepts a document, a map by names, and text without its outer brackets', () => {
    for (const text of [
      JSON.stringify({ mcpServers: { one: entry } }),
      JSON.stringify({ servers: { one: entry } }),
      JSON.stringify({ one: entry }),
      `"one": ${JSON.stringify(entry)},`,
      `"mcpServers": {"one": ${JSON.stringify(entry)}}`,
    ])
      expect(readPastedServers(text)).toEqual({ kind: 'servers', servers: { one: entry } });
  });

  it('[web.tool-servers.add] accepts one entry, and asks for its name', () => {
    expect(readPastedServers('{"url": "https://a.example/mcp", "more": 1}')).toEqual({
      kind: 'nameless',
      entry: { url: 'https://a.example/mcp', more: 1 },
    });
  });

  it.each([
    ['{"a": ', /not JSON/],
    ['[1]', /not JSON/],
    ['{}', /no tool server/],
    ['{"theme": "dark"}', /no tool server/],
    ['{"mcpServers": {}}', /no tool server/],
    ['{"mcpServers": {"one": {"enabled": true}}}', /“one” has neither a command nor a url/],
    ['{"mcpServers": {"one": {"command": "x", "args": "-y"}}}', /“one” is invalid: args/],
    ['{"command": "x", "env": {"A": 1}}', /invalid: env\.A/],
  ])('[web.tool-servers.add] says what is wrong with %s', (text, sentence) => {
    expect(readPastedServers(text)).toEqual({ kind: 'problem', sentence: expect.stringMatching(sentence) });
  });
});

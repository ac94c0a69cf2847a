// The filtered network of commands in bubblewrap. Tests have no internet: one address of this machine counts
// as public here, and all others are judged as in a service.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isReachable } from '../../../src/network/address-rules.ts';
import { resolveByNameServers } from '../../../src/network/checked-host.ts';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import { createBubblewrapSandbox } from '../../../src/workspace/sandbox/bubblewrap-sandbox.ts';
import type { SandboxOptions } from '../../../src/workspace/sandbox/sandbox-options.ts';
import { testConfinement, withoutGroups } from '../../support/confinement.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { CANARY, runCommand, sandboxOptions } from './run-command.ts';

const found = await testConfinement();
const PUBLIC = '127.0.0.5';
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'open.example': [PUBLIC],
  'inside.example': ['127.0.0.1'],
  'mixed.example': [PUBLIC, '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
};

interface Heard {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

/** Listens on all addresses of this machine. A request to any but the public one reads the canary. */
async function openWeb() {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    heard.push({ method, url, headers });
    const isOpen = request.socket.localAddress === PUBLIC;
    if (url === '/moved') response.writeHead(302, { location: `http://127.0.0.1:${headers['x-port']}/` });
    if (url === '/large') response.write('x'.repeat(4 * 1_048_576));
    request.on('data', (piece: Buffer) => response.write(`sent ${piece.length} `));
    request.on('end', () => response.end(isOpen ? 'open\n' : CANARY));
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { heard, port };
}

interface Opened {
  readonly ports: readonly number[];
  readonly resolve?: (host: string) => readonly string[];
  readonly options?: Partial<SandboxOptions>;
  readonly confinement?: typeof found;
}

async function run(script: string, { ports, resolve, options, confinement = found }: Opened) {
  const namesAsked: string[] = [];
  const sandbox = createBubblewrapSandbox({
    dataHome: await temporaryFolder(),
    diskUseOf: NO_LIMITS,
    options: sandboxOptions({ network: true, ...options }),
    confinement: async () => confinement,
    rules: {
      ports: new Set(ports),
      async resolve(host) {
        namesAsked.push(host);
        const addresses = resolve?.(host) ?? NAMES[host] ?? [];
        return addresses.map((address) => ({ address, family: 4 }));
      },
      mayReach: (address) => address === PUBLIC || isReachable(address, 'public'),
    },
  });
  return { ...(await runCommand(sandbox, script)), namesAsked };
}

/** Sends a request to a proxy port of this machine; returns the status, or the code of an error. */
async function answerOutside(): Promise<unknown> {
  const asked = get({ port: 3_128, host: '127.0.0.1', agent: false, signal: AbortSignal.timeout(5_000) });
  const answered = once(asked, 'response').then(([{ statusCode }]) => statusCode);
  return answered.catch(({ code }) => code).finally(() => asked.on('error', () => {}).destroy());
}

const CURL = 'curl --silent --show-error --max-time 20';

describe.runIf(found.bubblewrap.works)('the filtered network', () => {
  beforeAll(() => expect(process.platform).toBe('linux'));

  it('[sandbox.network] the proxy, which every program is configured with, reaches public addresses', async () => {
    const { port, heard } = await openWeb();
    const at = `http://open.example:${port}`;
    const script = `${CURL} ${at}/plain; ${CURL} --proxytunnel ${at}/tunnel
      printf 'ab%.0s' 1 2 | ${CURL} -H 'Transfer-Encoding: chunked' -H 'Connection: x-own' -H 'X-Own: 1' --data-binary @- ${at}/post
      ${CURL} -I ${at}/head | head -1 | tr -d '\\r'; read -t 0 line; echo "stdin $?"; env | grep -ci proxy=; ls -l /proc/$$/fd | grep -c socket:`;
    const { stdout, stderr, outcome } = await run(script, { ports: [port] });
    expect([stderr, outcome]).toEqual(['', { kind: 'exited', code: 0 }]);
    expect(stdout).toBe('open\nopen\nsent 4 open\nHTTP/1.1 200 OK\nstdin 0\n8\n2\n');
    expect(heard.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /plain',
      'GET /tunnel',
      'POST /post',
      'HEAD /head',
    ]);
    expect(heard.map(({ headers }) => [headers.host, headers['proxy-connection'], headers['x-own']])).toEqual(
      heard.map(() => [`open.example:${port}`, undefined, undefined]),
    );
  });

  it('[hostile.S48] [hostile.S40] [sandbox.network] inner addresses are refused in every spelling, and the sentence gives the reason', async () => {
    const { port, heard } = await openWeb();
    const hosts = [
      ...'127.0.0.1 localhost localhost. 2130706433 0x7f000001 0177.0.0.1 127.1 0.0.0.0'.split(' '),
      ...'[::1] [::ffff:127.0.0.1] [::ffff:7f00:1] 169.254.169.254 [fe80::1] [64:ff9b::7f00:1]'.split(' '),
      ...'10.0.0.1 192.168.1.1 100.100.100.200 inside.example mixed.example metadata.example'.split(' '),
    ];
    const target = `for host in ${hosts.map((host) => `'${host}'`).join(' ')}; do
      exec 3<>/dev/tcp/127.0.0.1/3128
      printf 'CONNECT %s:${port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' "$host" >&3; echo "$host $(cat <&3 | tr -d '\\r' | sed -n '1p;$p' | paste -s -d' ')"
      exec 3<>/dev/tcp/127.0.0.1/3128
      printf 'GET http://%s:${port}/ HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' "$host" >&3; echo "$host $(cat <&3 | tr -d '\\r' | sed -n '1p;$p' | paste -s -d' ')"
    done`;
    const { stdout } = await run(target, { ports: [port] });
    const said = stdout.trim().split('\n');
    const refused =
      /^\S+ HTTP\/1\.1 403 Forbidden .*(is not a public address of the internet|There is no host named)/;
    expect(said.filter((line) => !refused.test(line))).toEqual([]);
    expect([said.length, heard]).toEqual([2 * hosts.length, []]);
  });

  it('[hostile.S40] [sandbox.network] ports, schemes and forms outside the web are refused', async () => {
    const { port, heard } = await openWeb();
    const lines = [
      ...[
        'CONNECT open.example:22',
        'CONNECT open.example',
        'CONNECT open.example:99999',
        'CONNECT a@open.example:80',
      ],
      ...[
        'GET http://open.example:6379/',
        `GET https://open.example:${port}/`,
        'GET ftp://open.example/',
        'GET /',
      ],
      `GET http://user:word@open.example:${port}/`,
    ];
    const script = `while read -r line; do
      exec 3<>/dev/tcp/127.0.0.1/3128; printf '%s HTTP/1.1\\r\\nHost: open.example:${port}\\r\\n\\r\\n' "$line" >&3
      head -1 <&3
    done <<'END'\n${lines.join('\n')}\nEND
    exec 3<>/dev/tcp/127.0.0.1/3128; { printf 'GET http://open.example:${port}/ HTTP/1.1\\r\\nX: '; head -c 40000 /dev/zero | tr '\\0' x; } >&3; cat <&3`;
    const { stdout } = await run(script, { ports: [port, 80] });
    expect(stdout.trim().split(/\r?\n/)).toEqual(lines.map(() => 'HTTP/1.1 403 Forbidden'));
    expect(heard).toEqual([]);
  });

  it('[hostile.S42] [sandbox.network] a name is resolved once per request, and a redirect is a request', async () => {
    const { port, heard } = await openWeb();
    const script = `for i in 1 2; do ${CURL} -o - -w '%{http_code}\\n' http://rebound.example:${port}/; done
      ${CURL} -L -H 'X-Port: ${port}' -o - -w '%{http_code}\\n' http://open.example:${port}/moved`;
    let times = 0;
    const resolve = (host: string) => {
      if (host !== 'rebound.example') return NAMES[host] ?? [];
      times += 1;
      return [times === 1 ? PUBLIC : '127.0.0.1'];
    };
    const { stdout, namesAsked } = await run(script, { ports: [port], resolve });
    expect(stdout).toBe(
      'open\n200\nrebound.example is not a public address of the internet.\n403\n127.0.0.1 is not a public address of the internet.\n403\n',
    );
    expect(namesAsked).toEqual(['rebound.example', 'rebound.example', 'open.example']);
    expect(heard.map(({ url }) => url)).toEqual(['/', '/moved']);
  });

  it('[hostile.S48] [sandbox.network] without the proxy nothing is reachable: no address, no name server, no datagram', async () => {
    const { port, heard } = await openWeb();
    const datagrams = createSocket('udp4').bind(0, '0.0.0.0');
    onTestFinished(() => void datagrams.close());
    await once(datagrams, 'listening');
    let received = 0;
    datagrams.on('message', () => {
      received += 1;
    });
    const script = `for address in 127.0.0.1/${port} ${PUBLIC}/${port} 127.0.0.1/5432 169.254.169.254/80 1.1.1.1/443; do
        (exec 3<>/dev/tcp/$address) 2> /dev/null && echo "reached $address"
      done
      for address in 127.0.0.1 ${PUBLIC} 1.1.1.1; do (echo x > /dev/udp/$address/${datagrams.address().port}); done 2> /dev/null
      ${CURL} --noproxy '*' http://open.example:${port}/; ${CURL} --noproxy '*' http://${PUBLIC}:${port}/
      grep -c : /proc/net/dev; ls /etc/resolv.conf /etc/hosts /etc/ssl/private; ls /run/user /var/run`;
    const { stdout } = await run(script, { ports: [port] });
    expect([stdout, heard, received]).toEqual(['1\n', [], 0]);
  });

  it('[hostile.S48] [sandbox.network] no other process on this machine reaches the proxy, and it ends with its command', async () => {
    const { port } = await openWeb();
    const held = createPlainServer().listen(0, PUBLIC);
    onTestFinished(() => void held.close());
    await once(held, 'listening');
    const connected = once(held, 'connection');
    const heldPort = (held.address() as AddressInfo).port;
    const script = `exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT open.example:${heldPort} HTTP/1.1\\r\\n\\r\\n' >&3; read -r line <&3
      echo begun; read -r never <&3; read -r never <&3; echo ended`;
    const before = await answerOutside();
    const running = run(script, { ports: [port, heldPort] });
    const [socket] = await connected;
    expect(await answerOutside()).toBe(before);
    // A second concurrent command has its own, on the same port.
    expect((await run(`${CURL} http://open.example:${port}/`, { ports: [port] })).stdout).toBe('open\n');
    socket.end('a line\nanother\n');
    const { stdout } = await running;
    expect(stdout).toBe('begun\nended\n');
    if (!socket.closed) await once(socket, 'close');
  });

  it('[hostile.S48] [sandbox.network] a response that cannot be passed on ends only its own request', async () => {
    const { port } = await openWeb();
    const heads = [
      '000 x',
      '099 x',
      '999 x',
      '101 x',
      '101 x\r\nConnection: Upgrade\r\nUpgrade: x',
      '200 O\x01K',
      '200 OK\r\nX: a\x01b',
      '200 OK\r\nX\x01: a',
    ];
    const held = createPlainServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.end(`HTTP/1.1 ${heads.shift()}\r\n\r\nbody`));
    }).listen(0, PUBLIC);
    onTestFinished(() => void held.close());
    await once(held, 'listening');
    const { port: heldPort } = held.address() as AddressInfo;
    const script = `for i in ${heads.map((_, index) => index).join(' ')}; do ${CURL} -i http://open.example:${heldPort}/ | sed -n '1p;$p'; echo; done
      ${CURL} http://open.example:${port}/`;
    const { stdout } = await run(script, { ports: [port, heldPort] });
    const status = ['HTTP/1.1 502 Bad Gateway', 'open.example answered with a status that is none of HTTP.'];
    const unread = ['HTTP/1.1 502 Bad Gateway', 'open.example could not be reached.'];
    const passed = ['HTTP/1.1 200 OK', 'body'];
    const expected = [status, status, status, status, unread, passed, unread, unread, ['open']];
    expect(stdout.split(/\r?\n/).filter(Boolean)).toEqual(expected.flat());
  });

  it('[sandbox.network] a command sends and receives no more than its limit', async () => {
    const { port } = await openWeb();
    const script = `${CURL} -o /dev/null -w '%{size_download}\\n' http://open.example:${port}/large 2> /dev/null
      ${CURL} http://open.example:${port}/`;
    const { stdout } = await run(script, { ports: [port], options: { network_mb: 1 } });
    const [size, sentence] = stdout.split('\n');
    expect(Number(size)).toBeLessThan(1.5 * 1_048_576);
    expect(sentence).toContain('as much as sandbox.network_mb allows');
  });

  it.each([
    ['the smallest limits', found],
    ['the smallest limits and no control groups', withoutGroups(found)],
  ])('[sandbox.network] it is there with %s', async (_name, confinement) => {
    const { port } = await openWeb();
    const options = { memory_mb: 64, processes: 8 };
    const script = `${CURL} http://open.example:${port}/`;
    const { stdout, outcome } = await run(script, { ports: [port], options, confinement });
    expect([stdout, outcome]).toEqual(['open\n', { kind: 'exited', code: 0 }]);
  });
});

it('[sandbox.network] only name servers resolve names, and unknown names have no address', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  server.on('message', (question, { port, address }) => {
    const isIpv4 = question.readUInt16BE(question.indexOf(0, 12) + 1) === 1;
    const known = question.includes('known') && isIpv4;
    const head = Buffer.from([0x81, known ? 0x80 : 0x83, 0, 1, 0, known ? 1 : 0, 0, 0, 0, 0]);
    const end = question.indexOf(0, 12) + 5;
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 7]);
    const parts = [question.subarray(0, 2), head, question.subarray(12, end), ...(known ? [record] : [])];
    server.send(Buffer.concat(parts), port, address);
  });
  const resolve = resolveByNameServers([`127.0.0.1:${server.address().port}`]);
  expect(await resolve('known.example')).toEqual([{ address: '192.0.2.7', family: 4 }]);
  expect(await resolve('missing.example')).toEqual([]);
});

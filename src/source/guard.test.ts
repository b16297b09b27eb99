import { describe, expect, it } from 'vitest'
import { isPublicAddress, ownAddresses } from './guard.ts'

describe('addresses that may be fetched from', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
  ])('%s is public', (ip) => {
    expect(isPublicAddress(ip, [])).toBe(true)
  })

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.255.255.255'],
    ['private', '10.0.0.1'],
    ['carrier-grade NAT', '100.64.0.0'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['machine metadata', '168.63.129.16'],
    ['link-local, machine metadata', '169.254.169.254'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['IETF protocols', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['6to4 relays', '192.88.99.1'],
    ['private', '192.168.1.1'],
    ['benchmarks', '198.18.0.1'],
    ['benchmarks', '198.19.255.255'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['Teredo', '2001:0:53aa:64c::1'],
    ['ORCHID', '2001:10::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['6to4 of loopback', '2002:7f00:1::1'],
    ['documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['unique-local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['no address', 'localhost'],
    ['no address', ''],
    ['no address', '2130706433'],
  ])('%s is refused: %s', (_what, ip) => {
    expect(isPublicAddress(ip, [])).toBe(false)
  })
})

describe('exceptions', () => {
  it.each([
    ['10.1.2.3', '10.0.0.0/8', true],
    ['11.1.2.3', '192.168.0.0/16', true],
    ['192.168.1.1', '10.0.0.0/8', false],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true],
    ['::ffff:192.168.1.1', '10.0.0.0/8', false],
    ['::1', '::1/128', true],
    ['::2', '::1/128', false],
    ['fd12::1', 'fd00::/8', true],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.2', '127.0.0.1', false],
    ['fe80::1%eth0', 'fe80::/10', false],
  ])('%s with %s allowed: %s', (ip, range, open) => {
    expect(isPublicAddress(ip, [range])).toBe(open)
  })
})

describe('IP literals in odd spelling', () => {
  it.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://\uff11\uff12\uff17.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
    ['http://[0:0:0:0:0:0:0:1]/', '[::1]'],
  ])('%s is read as %s and refused', (address, hostname) => {
    const url = new URL(address)
    expect(url.hostname).toBe(hostname)
    expect(isPublicAddress(url.hostname.replace(/^\[|\]$/g, ''), [])).toBe(false)
  })
})

describe('addresses of the machine itself', () => {
  const own = ['8.8.4.4', '2606:4700::5']

  it.each(['8.8.4.4', '2606:4700::5', '2606:4700:0:0:0:0:0:5'])('refuses %s, which an interface has', (ip) => {
    expect(isPublicAddress(ip, [], own)).toBe(false)
  })

  it('admits a public address that no interface has', () => {
    expect(isPublicAddress('8.8.4.5', [], own)).toBe(true)
  })

  it('admits an own address that ALLOW_PRIVATE_SOURCES names', () => {
    expect(isPublicAddress('8.8.4.4', ['8.8.4.4/32'], own)).toBe(true)
  })

  it('finds loopback among the addresses of the interfaces', () => {
    expect(ownAddresses()).toContain('127.0.0.1')
  })
})

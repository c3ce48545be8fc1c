/**
 * The Network Block Device protocol on the wire: pure encoders, decoders and the two sides of the
 * handshake. Nothing here knows a socket, a channel or a thread. All integers are big endian.
 *
 * <p>Source: spec/nbd.md, after NetworkBlockDevice/nbd doc/proto.md and doc/uri.md.
 */
package io.jdm.nbd;

/**
 * What a volume header is: found by {@link io.jdm.volume.Volumes}, read by one format a package,
 * unlocked to what crypt tables need. Looking at a volume never writes.
 */
package io.jdm.volume;

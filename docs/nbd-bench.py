#!/usr/bin/env python3
"""Measures jdm's NBD server beside nbdkit and qemu-nbd, on one machine in one run, and prints medians.

    docs/nbd-bench.py --jdm ./jdm [--dir /dev/shm] [--size 512] [--seconds 2] [--rounds 3] [--rows NAME,...]

Every server exports the same bytes on a Unix socket, plain or AES-256-XTS with 512-byte sectors, from a file in the
page cache. fio's nbd engine and nbdcopy are the clients. The servers take turns within a round, so that a busy
machine disturbs all of them alike. Beside throughput it prints the server's CPU time per request, which a busy
machine changes less. Needs nbdkit, qemu-utils, libnbd-bin, fio. Source of the method: peers.md.
"""
import argparse, json, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time

ROWS = {
    "read 1M qd1": ["--rw=read", "--bs=1M", "--iodepth=1"],
    "read 1M qd8": ["--rw=read", "--bs=1M", "--iodepth=8"],
    "write 1M qd1": ["--rw=write", "--bs=1M", "--iodepth=1"],
    "write 1M qd8": ["--rw=write", "--bs=1M", "--iodepth=8"],
    "randread 4k qd1": ["--rw=randread", "--bs=4k", "--iodepth=1"],
    "randread 4k qd16": ["--rw=randread", "--bs=4k", "--iodepth=16"],
    "randwrite 4k qd1": ["--rw=randwrite", "--bs=4k", "--iodepth=1"],
    "randwrite 4k qd16": ["--rw=randwrite", "--bs=4k", "--iodepth=16"],
}
COPY = "nbdcopy to null:"


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fio(uri, size, seconds, options):
    command = ["fio", "--name=x", "--ioengine=nbd", f"--uri={uri}", f"--size={size}", "--time_based",
               f"--runtime={seconds}", "--randrepeat=0", "--norandommap", "--invalidate=0", "--output-format=json"]
    out = subprocess.run(command + options, check=True, capture_output=True, text=True).stdout
    job = json.loads(out[out.index("{"):])["jobs"][0]
    side = job["read"] if job["read"]["total_ios"] else job["write"]
    return side["bw_bytes"] / 1e6, side["total_ios"] / (side["runtime"] / 1000), side["total_ios"]


def nbdcopy(uri, size):
    begin = time.monotonic()
    subprocess.run(["nbdcopy", uri, "null:"], check=True)
    seconds = time.monotonic() - begin
    return size / 1e6 / seconds, size / (256 << 10) / seconds, size / (256 << 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jdm", required=True, help="the command that runs jdm; may have arguments")
    parser.add_argument("--dir", default="/dev/shm")
    parser.add_argument("--size", type=int, default=512, help="MiB")
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default=",".join([*ROWS, COPY]))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    size = options.size << 20
    work = pathlib.Path(tempfile.mkdtemp(prefix="nbd-bench", dir=options.dir))
    servers = {}
    try:
        plain, cipher, luks = work / "plain", work / "cipher", work / "luks"
        for image in (plain, cipher):
            subprocess.run(["dd", "if=/dev/urandom", f"of={image}", "bs=1M", f"count={options.size}", "status=none"],
                           check=True)
        (work / "pw").write_text("passphrase")
        secret = f"secret,id=s0,file={work}/pw"
        subprocess.run(["qemu-img", "create", "-q", "--object", secret, "-f", "luks", "-o",
                        "key-secret=s0,cipher-alg=aes-256,cipher-mode=xts,ivgen-alg=plain64,iter-time=10",
                        str(luks), str(size)], check=True)
        (work / "key").write_bytes(os.urandom(64))
        sectors = size // 512
        jdm = options.jdm.split()
        socket = lambda name: str(work / (name + ".sock"))
        commands = {
            "nbdkit-file": ["nbdkit", "-f", "-U", socket("nbdkit-file"), "file", str(plain)],
            "nbdkit-luks": ["nbdkit", "-f", "-U", socket("nbdkit-luks"), "--filter=luks", "file", str(luks),
                            f"passphrase=+{work}/pw"],
            "qemu-luks": ["qemu-nbd", "-t", "-e", "4", "--cache=writeback", "-k", socket("qemu-luks"), "--object",
                          secret, "--image-opts",
                          f"driver=luks,file.driver=file,file.filename={luks},key-secret=s0"],
            "jdm-file": [*jdm, "serve", "-U", socket("jdm-file"), str(plain)],
            "jdm-crypt": [*jdm, "serve", "-U", socket("jdm-crypt"),
                          f"0 {sectors} crypt aes-xts-plain64 @{work}/key 0 {cipher} 0"],
        }
        for name, command in commands.items():
            servers[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for name, server in servers.items():
            while not os.path.exists(socket(name)):
                if server.poll() is not None:
                    sys.exit(f"{name} did not start: {' '.join(commands[name])}")
                time.sleep(0.1)
        uri = {name: f"nbd+unix:///?socket={socket(name)}" for name in commands}
        for name in servers:  # warm up: page cache and compiled code
            for row in ("read 1M qd1", "write 1M qd1", "randread 4k qd16", "randwrite 4k qd16"):
                fio(uri[name], size, 1, ROWS[row])
        results = {}
        for _ in range(options.rounds):
            for row in options.rows.split(","):
                for name, server in servers.items():
                    cpu = cpu_seconds(server.pid)
                    mbs, iops, ios = (nbdcopy(uri[name], size) if row == COPY
                                      else fio(uri[name], size, options.seconds, ROWS[row]))
                    spent = (cpu_seconds(server.pid) - cpu) / ios * 1e6
                    results.setdefault((row, name), []).append((mbs, iops, spent))
        rows = [{"row": row, "server": name, "megabytesPerSecond": statistics.median(r[0] for r in found),
                 "requestsPerSecond": statistics.median(r[1] for r in found),
                 "serverCpuMicrosPerRequest": statistics.median(r[2] for r in found)}
                for (row, name), found in results.items()]
        if options.json:
            print(json.dumps({"results": rows}))
            return
        print(f"{options.size} MiB in {options.dir}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, "
              f"{options.rounds} rounds of {options.seconds} s")
        for r in rows:
            print(f"{r['row']:18} {r['server']:12} {r['megabytesPerSecond']:8.0f} MB/s {r['requestsPerSecond']:8.0f} /s "
                  f"{r['serverCpuMicrosPerRequest']:8.1f} us CPU")
    finally:
        for server in servers.values():
            server.terminate()
        for server in servers.values():
            server.wait()
        shutil.rmtree(work)


main()

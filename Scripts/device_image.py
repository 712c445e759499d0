"""Makes what the small virtual machine of Scripts/device boots from: kernel, initramfs, and a root file system.

Everything comes from Debian's packages, from the Swift toolchain and from what was built; everything is kept below
.build/device, and made again when what it is made of has changed.
"""

import glob
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = os.path.join(ROOT, ".build", "device")
PACKAGES = os.path.join(PLACE, "packages")
KERNEL = os.path.join(PLACE, "vmlinuz")
INITRAMFS = os.path.join(PLACE, "initramfs.gz")
DISK = os.path.join(PLACE, "root.ext4")
TESTS = os.path.join(ROOT, "Tests", "DeviceTests")

# Free space on the device's disk costs nothing: the file is sparse.
DISK_SIZE = "3G"
KERNEL_PACKAGE = "linux-image-cloud-amd64"
# In the order in which they need each other. ext4 is part of the kernel.
MODULES = ["virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk",
           "virtio_console"]
# A device without Debian's package manager: busybox for the commands, Python for the apps that are written in it, the
# libraries that Swift's need, and the two programs that Greenroom is compared with.
DEBIAN = ["busybox-static", "libc6", "libc-bin", "libgcc-s1", "libstdc++6", "zlib1g", "libsqlite3-0", "python3-minimal",
          "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "libexpat1", "libffi8", "libssl3",
          "libuuid1", "libbz2-1.0", "liblzma5", "libcrypt1", "libtinfo6", "libncursesw6", "nano", "earlyoom", "nohang",
          # What FoundationNetworking and the transfers need, which are part of the tests.
          "libcurl4", "libbrotli1", "libcom-err2", "libgmp10", "libgnutls30", "libgssapi-krb5-2", "libhogweed6",
          "libidn2-0", "libk5crypto3", "libkeyutils1", "libkrb5-3", "libkrb5support0", "libldap-2.5-0", "libnettle8",
          "libnghttp2-14", "libp11-kit0", "libpsl5", "librtmp1", "libsasl2-2", "libssh2-1", "libtasn1-6",
          "libunistring2", "libzstd1",
          # What libsystemd needs, by which the tests speak on a bus.
          "libsystemd0", "libcap2", "libgcrypt20", "libgpg-error0", "liblz4-1",
          # The client of PipeWire and what reads sound files, for the tests of audio.
          "libpipewire-0.3-0", "libsndfile1", "libflac12", "libvorbis0a", "libvorbisenc2", "libopus0", "libogg0",
          "libmpg123-0", "libmp3lame0"]
# These have to be there; whatever else was built comes along.
PROGRAMS = ["greenroom", "greenroomd", "greenroom-keeper", "greenroom-bundle", "greenroom-replay",
            "greenroom-simulator", "Journal", "Misbehaver"]
# No job of the device runs them.
LEFT_OUT = ["Uploader", "Classic", "greenroom-import", "Podcasts", "Reminder", "Radio", "Navigator", "Article", "Beacon", "Reader",
            "greenroom-transferd", "greenroom-bench-fetch", "greenroom-bench-location", "greenroom-locationd",
            "CaptureTheFlag", "Wanderer"]
TEST_RUNNER = "greenroomPackageTests.xctest"
# What the tests and the apps read of the repository, at the place where they were built.
FOLDERS = ["Examples/python", "Examples/plain", "Fixtures/Probe", ".build/bin", ".build/apps", "Tests/DeviceTests",
           "Benchmarks/memory-storms"]


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def output(*command, **options):
    return run(*command, capture_output=True, text=True, **options).stdout


def say(text):
    print(f"device: {text}", file=sys.stderr, flush=True)


def fetch(packages):
    """Debian packages as files, from the cache or from the mirror; their paths."""
    os.makedirs(PACKAGES, exist_ok=True)
    missing = [name for name in packages if not glob.glob(f"{PACKAGES}/{name}_*.deb")]
    if missing:
        say(f"downloads from Debian: {' '.join(missing)}")
        command = ["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", *missing]
        if subprocess.run(command, cwd=PACKAGES, stderr=subprocess.DEVNULL).returncode != 0:
            # The package lists of a fresh machine are empty or old.
            run("apt-get", "update", "-qq")
            run(*command, cwd=PACKAGES)
    return [glob.glob(f"{PACKAGES}/{name}_*.deb")[0] for name in packages]


def unpack(package, tree):
    """As dpkg does: a link that stands where the package has a folder stays a link."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as archive:
        run("tar", "-x", "--keep-directory-symlink", "-C", tree, stdin=archive.stdout)


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def stamped(name, inputs, make, *products):
    """Calls `make` unless its products are there and were made of the same."""
    digest = hashlib.sha256("\n".join(inputs).encode()).hexdigest()
    stamp = os.path.join(PLACE, f"{name}.stamp")
    if all(os.path.exists(product) for product in products) and os.path.exists(stamp):
        with open(stamp) as file:
            if file.read() == digest:
                return
    make()
    with open(stamp, "w") as file:
        file.write(digest)


def mark(path):
    status = os.stat(path)
    return f"{path} {status.st_mtime_ns} {status.st_size}"


def marks(*folders):
    for top in folders:
        for folder, folders_in_it, files in os.walk(top):
            folders_in_it.sort()
            for file in sorted(files):
                yield mark(os.path.join(folder, file))


# MARK: Kernel and initramfs

def kernel_package():
    """The package with the newest kernel of Debian's, which another one names."""
    here = sorted(glob.glob(f"{PACKAGES}/linux-image-[0-9]*-cloud-amd64_*.deb"))
    if here:
        return here[-1]
    names = re.findall(r"Depends: (linux-image-\S+)", output("apt-cache", "depends", KERNEL_PACKAGE))
    if not names:
        run("apt-get", "update", "-qq")
        names = re.findall(r"Depends: (linux-image-\S+)", output("apt-cache", "depends", KERNEL_PACKAGE))
    if not names:
        sys.exit(f"device: Debian's mirror has no {KERNEL_PACKAGE}: is this Debian 12 for amd64?")
    return fetch(names[:1])[0]


def make_kernel(package, busybox_package):
    say("takes the kernel out of its package")
    tree = empty(os.path.join(PLACE, "kernel"))
    unpack(package, tree)
    shutil.copy(glob.glob(f"{tree}/boot/vmlinuz-*")[0], KERNEL)

    first = empty(os.path.join(PLACE, "initramfs"))
    os.makedirs(f"{first}/modules")
    for module in MODULES:
        path, = glob.glob(f"{tree}/**/{module}.ko", recursive=True)
        shutil.copy(path, f"{first}/modules")
    with open(f"{first}/modules/order", "w") as file:
        file.write("".join(module + "\n" for module in MODULES))
    os.makedirs(f"{first}/bin")
    unpack(busybox_package, tree)
    shutil.copy(f"{tree}/bin/busybox", f"{first}/bin/busybox")
    shutil.copy(f"{TESTS}/initramfs", f"{first}/init")
    names = output("find", ".", cwd=first)
    archive = run(f"{first}/bin/busybox", "cpio", "-o", "-H", "newc", input=names.encode(), cwd=first,
                  capture_output=True).stdout
    with open(INITRAMFS, "wb") as file:
        file.write(gzip.compress(archive, 1))


# MARK: The root file system

def products_folder():
    return output("swift", "build", "--configuration", "release", "--show-bin-path", cwd=ROOT).strip()


def swift_libraries(programs):
    """Those of the toolchain's libraries that the programs need, and what these need."""
    folders = re.findall(r'"(/[^"]*/lib/swift/linux)"', output("swift", "-print-target-info"))
    have = {os.path.basename(path): path for folder in folders for path in glob.glob(f"{folder}/*.so")}
    found, queue = {}, list(programs)
    while queue:
        for name in re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", output("readelf", "-d", queue.pop())):
            if name in have and name not in found:
                found[name] = have[name]
                queue.append(have[name])
    return sorted(found.values())


def built_programs(products):
    missing = [name for name in PROGRAMS + [TEST_RUNNER] if not os.path.exists(f"{products}/{name}")]
    if missing:
        sys.exit(f"device: {', '.join(missing)} is not built: make device, or swift build -c release --build-tests")
    others = [name for name in sorted(os.listdir(products)) if "." not in name and name not in PROGRAMS + LEFT_OUT
              and os.path.isfile(f"{products}/{name}") and os.access(f"{products}/{name}", os.X_OK)]
    return [f"{products}/{name}" for name in PROGRAMS + others + [TEST_RUNNER]]


def make_tree(packages, programs, libraries, products):
    tree = empty(os.path.join(PLACE, "tree"))
    for folder in ["bin", "sbin", "lib", "lib64"]:
        os.makedirs(f"{tree}/usr/{folder}")
        os.symlink(f"usr/{folder}", f"{tree}/{folder}")
    for package in packages:
        unpack(package, tree)
    for waste in ["usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/lintian"]:
        shutil.rmtree(f"{tree}/{waste}", ignore_errors=True)
    for applet in output(f"{tree}/bin/busybox", "--list").split():
        if not os.path.lexists(f"{tree}/usr/bin/{applet}") and not os.path.lexists(f"{tree}/usr/sbin/{applet}"):
            os.symlink("busybox", f"{tree}/usr/bin/{applet}")
    for folder in ["proc", "sys", "dev", "run", "root", "tmp", "var/tmp", "var/lib", "var/log", "etc/ld.so.conf.d", "device"]:
        os.makedirs(f"{tree}/{folder}", exist_ok=True)
    for folder in ["tmp", "var/tmp"]:
        os.chmod(f"{tree}/{folder}", 0o1777)
    os.chmod(f"{tree}/root", 0o700)
    write(f"{tree}/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n")
    write(f"{tree}/etc/group", "root:x:0:\nnogroup:x:65534:\n")
    write(f"{tree}/etc/hosts", "127.0.0.1 localhost device\n")

    os.makedirs(f"{tree}/usr/lib/swift/linux")
    for library in libraries:
        strip(library, f"{tree}/usr/lib/swift/linux/{os.path.basename(library)}")
    write(f"{tree}/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n/usr/lib/swift/linux\n")
    run("ldconfig", "-r", tree)
    # Compiling is what takes longest when Python starts on a slow processor.
    run("chroot", tree, "/usr/bin/python3", "-m", "compileall", "-q", "/usr/lib/python3.11")

    for folder in FOLDERS:
        if os.path.isdir(f"{ROOT}/{folder}"):
            shutil.copytree(f"{ROOT}/{folder}", f"{tree}{ROOT}/{folder}", symlinks=True)
    os.makedirs(f"{tree}{products}")
    for program in programs:
        strip(program, tree + program)
    shutil.copy(f"{TESTS}/init", f"{tree}/device/init")
    write(f"{tree}/device/programs", products + "\n")
    for program in programs:
        check_libraries(tree, program)
    return tree


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def strip(source, target):
    """What debuggers read is most of a file, and nothing on the device reads it."""
    run("strip", "--strip-debug", "-o", target, source)
    shutil.copymode(source, target)


def check_libraries(tree, program):
    # The loader ends at the first library that is not there, and says which one it is.
    loader = subprocess.run(["chroot", tree, "/lib64/ld-linux-x86-64.so.2", "--list", program], capture_output=True,
                            text=True)
    missing = re.findall(r"(\S+) => not found", loader.stdout)
    if missing or loader.returncode != 0:
        needed = ", ".join(missing) or loader.stderr.strip()
        sys.exit(f"device: {os.path.basename(program)} lacks what no package of the device has: {needed}")


def make_disk(*arguments):
    say("makes the disk")
    tree = make_tree(*arguments)
    with open(DISK + ".new", "w"):
        pass
    # No journal: the disk is thrown away after each run.
    run("mke2fs", "-q", "-t", "ext4", "-O", "^has_journal,^metadata_csum", "-d", tree, DISK + ".new", DISK_SIZE)
    os.rename(DISK + ".new", DISK)
    shutil.rmtree(tree)


def make_all():
    """Makes what is missing or old."""
    if os.geteuid() != 0:
        sys.exit("device: what lies on its disk belongs to root, so root has to make it: sudo make device")
    os.makedirs(PLACE, exist_ok=True)
    packages = fetch(DEBIAN)
    kernel, busybox = kernel_package(), packages[0]
    this = mark(os.path.abspath(__file__))
    stamped("kernel", [this, kernel, mark(f"{TESTS}/initramfs")], lambda: make_kernel(kernel, busybox), KERNEL,
            INITRAMFS)
    products = products_folder()
    programs = built_programs(products)
    libraries = swift_libraries(programs)
    inputs = [this, *packages, *map(mark, programs), *map(mark, libraries)]
    inputs += marks(*(f"{ROOT}/{folder}" for folder in FOLDERS))
    stamped("disk", inputs, lambda: make_disk(packages, programs, libraries, products), DISK)

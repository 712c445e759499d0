internal import CLinux
internal import SystemPackage

extension Descriptor {
    /// Its contents are made as they are read (procfs, sysfs and their like), and depend on who reads.
    package func isOfKernel() throws(SystemError) -> Bool {
        let fd = rawValue
        let kind = try check("fstatfs") { gr_file_system(fd) }
        // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, pstore, bpf, configfs.
        return [
            0x9FA0, 0x6265_6572, 0x6462_6720, 0x7472_6163, 0x27_E0EB, 0x6367_7270, 0x7363_6673, 0x6165_676C,
            0xCAFE_4A11, 0x6265_6570,
        ].contains(kind)
    }
}

internal import LinuxSystem
internal import Wire

/// By what means the background gives way to the screen (docs/PRIORITY.md), and leaves the GPU alone.
struct PriorityProbes {
    func findings() -> [DoctorFinding] { [processors(), disks(), realTime(), gpu()] }

    private var controllers: [Substring] {
        guard let root = CgroupRoot.detect(isRoot: CurrentProcess.isRoot) else { return [] }
        return (Files.text("\(root)/cgroup.controllers") ?? "").split { $0 == " " || $0 == "\n" }
    }

    private func processors() -> DoctorFinding {
        let mechanism = "shares of processors"
        if controllers.contains("cpu") {
            return DoctorFinding(mechanism: mechanism, status: .ok, detail: "cpu.weight of each app's cgroup")
        }
        if CurrentProcess.isRoot, CgroupRoot.detect(isRoot: true) != nil,
            let mount = CgroupRoot.legacyMountPoint(of: "cpu"), Files.isWritable(mount)
        {
            return DoctorFinding(
                mechanism: mechanism, status: .replaced, detail: "no cpu controller in the v2 hierarchy",
                instead: "cpu.idle of the v1 hierarchy at \(mount), and one idle group for what stays in the background"
            )
        }
        let means = [
            Autogroup.isOn ? "the nice value of each app's session" : nil,
            CurrentProcess.canRaisePriorities ? "the scheduling class of each thread" : nil,
        ].compactMap(\.self)
        guard !means.isEmpty else {
            return DoctorFinding(
                mechanism: mechanism, status: .missing, detail: "no cpu controller, no autogroups, no CAP_SYS_NICE",
                cost: "apps in the background have as much of the processors as the one on screen")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .replaced, detail: "no cpu controller in a hierarchy that can be written",
            instead: means.joined(separator: " and "),
            cost: "with many busy apps in the background a frame of the one on screen is late now and then")
    }

    private func disks() -> DoctorFinding {
        if controllers.contains("io") {
            return DoctorFinding(mechanism: "shares of disks", status: .ok, detail: "io.weight of each app's cgroup")
        }
        return DoctorFinding(
            mechanism: "shares of disks", status: .replaced, detail: "no io controller in the v2 hierarchy",
            instead: "each thread's class for the disk (ioprio)",
            cost: "what goes through the page cache is written as fast as the others' files")
    }

    private func gpu() -> DoctorFinding {
        guard GPUClients.areThere() else {
            return DoctorFinding(mechanism: "GPU", status: .ok, detail: "there is none, and nothing is looked at")
        }
        return DoctorFinding(
            mechanism: "GPU", status: .ok,
            detail: "apps in the background are looked at every five seconds: new contexts, and work where the driver "
                + "counts it (NVIDIA's does not)")
    }

    private func realTime() -> DoctorFinding {
        guard CurrentProcess.canRaisePriorities else {
            return DoctorFinding(
                mechanism: "real-time threads", status: .replaced, detail: "needs CAP_SYS_NICE",
                instead: "what an app's own limit (ulimit -r) allows to be given back is taken",
                cost: "other real-time threads stay so in the background")
        }
        return DoctorFinding(
            mechanism: "real-time threads", status: .ok,
            detail: "taken from apps in the background, and given back")
    }
}

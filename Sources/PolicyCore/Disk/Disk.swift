internal import Model

// Room on the disk is everybody's: the app that takes the last of it ends, on screen too. It would fail with its next
// write anyway, and with it every other app and the system itself.
extension System {
    mutating func diskFilled(_ app: AppIndex, _ generation: Generation, _ use: DiskUse) {
        guard let i = current(app, generation), apps[i].ending == nil else { return }
        end(i, .filledDisk(use))
    }
}

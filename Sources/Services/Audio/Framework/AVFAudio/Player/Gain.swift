/// A volume that goes to another one without a jump.
struct Gain: Sendable {
    private(set) var target: Float
    private var value: Float
    private var step: Float = 0
    private var left = 0

    init(_ value: Float) { (target, self.value) = (value, value) }

    /// Frames in which a jump becomes a slope that one does not hear.
    static let soft = 256

    mutating func set(_ target: Float, over frames: Int = Gain.soft) {
        self.target = target
        left = max(1, frames)
        step = (target - value) / Float(left)
    }

    /// At once: nothing of it has been heard.
    mutating func jump() { (value, left) = (target, 0) }

    /// For the next frame.
    mutating func next() -> Float {
        guard left > 0 else { return value }
        left -= 1
        value = left == 0 ? target : value + step
        return value
    }
}

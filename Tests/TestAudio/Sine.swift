internal import Glibc

/// A tone at 48 kHz.
package struct Sine: Sendable {
    package var amplitude: Float
    package var frequency: Float

    package init(amplitude: Float = 0.5, frequency: Float = 440) {
        (self.amplitude, self.frequency) = (amplitude, frequency)
    }

    package subscript(frame: Int) -> Float {
        let phase = Double(frame) * Double(frequency) / 48_000
        return amplitude * Float(sin(2 * Double.pi * (phase - phase.rounded(.down))))
    }
}

/// What samples hold.
package enum Level {
    package static func peak(_ samples: some Sequence<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }

    /// The longest time without sound, in milliseconds at 48 kHz.
    package static func longestGap(_ samples: [Float]) -> Double {
        var (longest, current) = (0, 0)
        for sample in samples {
            current = abs(sample) < 0.000_1 ? current + 1 : 0
            longest = max(longest, current)
        }
        return Double(longest) / 48
    }

    /// How loud a tone of this frequency is in samples at 48 kHz, among others: its amplitude.
    package static func amplitude(of frequency: Float, in samples: [Float]) -> Float {
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let angle = 2 * Double.pi * Double(frequency) * Double(index) / 48_000
            real += Double(sample) * cos(angle)
            imaginary += Double(sample) * sin(angle)
        }
        return Float(2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count)))
    }
}
